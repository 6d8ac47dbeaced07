#pragma once

// The configurations of tasks that people start by themselves as tables, in the terms of model/expconf/schema.h and
// with its sections. Notebooks, shells, commands and TensorBoards share one; generic tasks have their own. Pure.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/json_reader.h"
#include "model/expconf/schema.h"
#include "model/taskconf/task_config.h"

namespace det::model {

extern const ObjectSchema kTaskSchema;
extern const ObjectSchema kGenericTaskSchema;
[[nodiscard]] const ObjectSchema& task_schema(TaskType type);

// A folder in the container, as text; adds what is wrong with it at `path`.
void check_work_dir(const nlohmann::json& value, std::string_view path, FieldErrors& errors);

// What of `value` a task of this type may have; `left_out` gets the paths of the fields that it may not.
[[nodiscard]] nlohmann::json known_part(TaskType type, const nlohmann::json& value, std::vector<std::string>& left_out);

}  // namespace det::model
