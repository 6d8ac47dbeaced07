#pragma once

// Settings, a gang, and what its pods hold: for tests of what pods are.

#include <gtest/gtest.h>

#include "model/expconf/accept_config.h"
#include "pods/pod_builder.h"
#include "pods/trial_task.h"

namespace det::pods {

using nlohmann::json;

inline PodSettings settings(model::SlotType type, int max_slots) {
  PodSettings settings;
  settings.task_url = "http://det-operator.det-system.svc:8080";
  settings.cluster_id = "0b0b0b0b-0000-4000-8000-000000000000";
  settings.harness_config_map = "det-harness-0123456789ab";
  settings.controller_class = "det-operator";
  settings.master.slot_type = type;
  settings.master.max_slots_per_pod = max_slots;
  return settings;
}

inline json accepted(json config, json defaults = json::object()) {
  if (!config.contains("entrypoint")) config["entrypoint"] = "python3 train.py";
  config["searcher"] = {{"name", "single"}, {"metric", "loss"}};
  if (!defaults.contains("checkpoint_storage")) {
    defaults["checkpoint_storage"] = {{"type", "shared_fs"}, {"host_path", "/data"}};
  }
  model::AcceptContext context;
  context.name_seed = 1;
  context.default_seed = 2;
  const auto result = model::accept_config(config, defaults, context);
  EXPECT_TRUE(result) << (result ? "" : join_errors(result.error()));
  return result ? result->document : json();
}

inline TaskRequest gang(const json& config, int pods, int slots_per_pod) {
  TrialTask trial;
  trial.trial = {.ns = "ml", .name = "mnist-7"};
  trial.trial_uid = "trial-uid";
  trial.experiment_object = "mnist";
  trial.experiment_id = {3};
  trial.trial_id = {7};
  trial.task_id = "3.5f1e0c0e-0000-4000-8000-000000000000";
  trial.allocation_id = trial.task_id + ".2";
  trial.run = 2;
  trial.num_pods = pods;
  trial.slots_per_pod = slots_per_pod;
  trial.seed = 99;
  trial.steps_completed = 100;
  trial.latest_checkpoint = "c0ffee00-0000-4000-8000-000000000000";
  trial.owner = "jane doe";
  trial.workspace = "Uncategorized";
  trial.hparams = {{"learning_rate", 0.1}};
  const auto typed = model::read_experiment_config(config);
  EXPECT_TRUE(typed) << (typed ? "" : typed.error().message);
  TaskRequest task = trial_task(trial, config, typed.value_or(model::ExperimentConfig()));
  task.token = "the-token";
  task.user_token = "the-owners-token";
  return task;
}

inline json main_container(const json& pod) {
  for (const json& container : pod["spec"]["containers"]) {
    if (container["name"] == "determined-container") return container;
  }
  return {};
}

// Of variables that are set twice the kubelet takes the last.
inline std::string variable(const json& pod, const std::string& name) {
  std::string value = "(unset)";
  for (const json& entry : main_container(pod)["env"]) {
    if (entry["name"] == name) value = entry.value("value", "(from the pod)");
  }
  return value;
}

}  // namespace det::pods
