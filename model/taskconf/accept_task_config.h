#pragma once

// The one gate for the configurations of tasks that people start by themselves: from what they wrote to the complete,
// frozen document, or to the list of everything that is wrong with it. The same as model/expconf/accept_config.h for
// experiments. Pure: randomness is an argument.

#include <expected>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "model/expconf/accept_config.h"
#include "model/taskconf/task_config.h"

namespace det::model {

struct AcceptedTaskConfig {
  TaskConfig config;
  nlohmann::json document;            // complete and normalised: the form to store and to show
  std::string hash;                   // config_hash(document)
  std::vector<std::string> warnings;  // of model/taskconf/task_warnings.h
};

// `user`: the configuration as given, an object, or null for none. `cluster_defaults`: that of
// model/cluster/master_config.h. Precedence: config policies, user, template, cluster defaults, built-in defaults. Of
// the template, which may be an experiment's, the fields that tasks have count; warnings name the others. Idle
// timeouts of the cluster come from `context.master`, `context.default_seed` is not used. The errors' fields are paths
// within the configuration.
[[nodiscard]] std::expected<AcceptedTaskConfig, FieldErrors> accept_task_config(TaskType type,
                                                                                const nlohmann::json& user,
                                                                                const nlohmann::json& cluster_defaults,
                                                                                const AcceptContext& context);

}  // namespace det::model
