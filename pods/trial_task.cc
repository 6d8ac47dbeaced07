#include "pods/trial_task.h"

#include "pods/names.h"

namespace det::pods {

TaskRequest trial_task(const TrialTask& trial, const nlohmann::json& document, const model::ExperimentConfig& config) {
  TaskRequest task;
  task.kind = k8s::trials();
  task.object = trial.trial;
  task.base_name = trial.trial.name;
  task.object_uid = trial.trial_uid;
  task.type = "TRIAL";
  task.task_id = trial.task_id;
  task.allocation_id = trial.allocation_id;
  task.run = trial.run;
  task.num_pods = trial.num_pods;
  task.slots_per_pod = trial.slots_per_pod;
  task.owner = trial.owner;
  task.workspace = trial.workspace;
  task.ports = trial.ports;
  task.account = trial.account;
  task.excluded_nodes = trial.excluded_nodes;
  task.config = {.resources = config.resources,
                 .environment = config.environment,
                 .bind_mounts = config.bind_mounts,
                 .storage = config.checkpoint_storage};
  task.labels = {{std::string(kLabelExperiment), label_value(trial.experiment_object)},
                 {std::string(kLabelTrial), trial.trial.name},
                 {std::string(kUpstreamExperimentId), to_string(trial.experiment_id)},
                 {std::string(kUpstreamTrialId), to_string(trial.trial_id)}};
  task.variables = {{"DET_TRIAL_ID", to_string(trial.trial_id)},
                    {"DET_EXPERIMENT_ID", to_string(trial.experiment_id)},
                    {"DET_TRIAL_RUN_ID", std::to_string(trial.run)},
                    {"DET_TRIAL_SEED", std::to_string(trial.seed)},
                    {"DET_STEPS_COMPLETED", std::to_string(trial.steps_completed)}};
  if (!trial.latest_checkpoint.empty()) task.variables.emplace_back("DET_LATEST_CHECKPOINT", trial.latest_checkpoint);
  // The configuration may carry storage keys.
  task.secret_variables = {{"DET_EXPERIMENT_CONFIG", document.dump()}, {"DET_HPARAMS", trial.hparams.dump()}};
  return task;
}

}  // namespace det::pods
