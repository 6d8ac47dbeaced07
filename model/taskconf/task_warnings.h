#pragma once

// What people wrote into the configuration of a task and what does nothing there: one sentence for each field, which
// names it. The same as model/expconf/config_warnings.h for experiments. Pure.

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/expconf/config_warnings.h"
#include "model/taskconf/task_config.h"

namespace det::model {

struct IdleTaskField {
  IdleField field;
  std::span<const TaskType> acts_for = {};  // the types for which it does something; empty: none
};
[[nodiscard]] std::span<const IdleTaskField> idle_task_fields();

// Of a configuration that was accepted: `user` as it was written, `template_config` what it lies on (or null),
// `left_out` the paths of the template's fields that a task of this type may not have.
[[nodiscard]] std::vector<std::string> task_warnings(TaskType type, const nlohmann::json& user,
                                                     const nlohmann::json& template_config,
                                                     std::span<const std::string> left_out);

}  // namespace det::model
