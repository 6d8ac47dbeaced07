#pragma once

// The environment of a task's container (wire names: harness of 0.20 to 0.38.1). What is secret, or may be, goes into
// the allocation's Secret; the rest stands in the pod where people can read it. Pure.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace det::pods {

struct PodSettings;
struct TaskRequest;

// A list for Container.env, without the names that the user's environment_variables set (those win over ours).
[[nodiscard]] nlohmann::json literal_env(const PodSettings& settings, const TaskRequest& task, int rank);
// Variable -> value for the Secret.
[[nodiscard]] nlohmann::json secret_env(const PodSettings& settings, const TaskRequest& task);

// One sentence for each of environment_variables of `user` (a configuration as people wrote it) that a pod has from the
// operator all the same. `is_trial`: not a task's, which has fewer of them.
[[nodiscard]] std::vector<std::string> overruled_variables(const nlohmann::json& user, bool is_trial);

}  // namespace det::pods
