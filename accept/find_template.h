#pragma once

// The template that a submission names. Belongs to the io thread.

#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "accept/submission.h"
#include "base/result.h"
#include "base/task.h"
#include "store/cluster/template_store.h"

namespace det::accept {

// Its configuration; null for no name.
Task<Result<std::variant<nlohmann::json, Objection>>> find_template(store::TemplateStore& templates, std::string name);

}  // namespace det::accept
