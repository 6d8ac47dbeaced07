#pragma once

// Model code that a pod fetches itself, with the pod's rights: from a git repository or from a volume (spec.context.git
// and .pvc). harness/fetch_code.py does it. Pure.

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace det::pods {

// spec.context names a source of this kind.
[[nodiscard]] bool is_code_source(const nlohmann::json& context);
// What is wrong with it; the field is a path within `context`.
[[nodiscard]] std::optional<Error> code_source_error(const nlohmann::json& context);

// "git", "pvc", or empty where the code comes from elsewhere.
[[nodiscard]] std::string code_source_kind(const nlohmann::json& context);

// Gives the pod what it needs to fetch the code: the source itself, the Secret or the claim. null adds nothing.
void add_code_source(nlohmann::json& pod, const nlohmann::json& source);

}  // namespace det::pods
