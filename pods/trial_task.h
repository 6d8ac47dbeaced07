#pragma once

// A trial's run as a task. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/expconf/experiment_config.h"
#include "model/ids.h"
#include "pods/pod_builder.h"

namespace det::pods {

struct TrialTask {
  k8s::ObjectKey trial;  // the Trial object
  std::string trial_uid;
  std::string experiment_object;
  model::ExperimentId experiment_id;
  model::TrialId trial_id;
  std::string task_id;
  std::string allocation_id;
  int run = 1;
  int num_pods = 1;
  int slots_per_pod = 1;
  std::int64_t seed = 0;
  std::int64_t steps_completed = 0;
  std::string latest_checkpoint;  // empty: none
  std::string owner;              // username
  std::string workspace;
  TaskPorts ports;
  std::vector<std::string> excluded_nodes;
  std::optional<model::AgentAccount> account;
  nlohmann::json hparams;
};

// `document` is the frozen configuration, which the harness reads, and `config` the same, typed.
[[nodiscard]] TaskRequest trial_task(const TrialTask& trial, const nlohmann::json& document,
                                     const model::ExperimentConfig& config);

}  // namespace det::pods
