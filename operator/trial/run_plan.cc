#include "operator/trial/run_plan.h"

#include "operator/gang/port_blocks.h"
#include "operator/trial/trial_facts.h"
#include "pods/trial_task.h"
#include "store/experiments/experiment_pool.h"

namespace det::op {
namespace {

// Another trial's checkpoint, chosen at the first run and kept: the other trial may still be training.
Task<Result<std::string>> warm_start(OperatorServices& services, const store::TrialRow& row,
                                     const model::SearcherConfig& searcher) {
  if (!row.warm_start_checkpoint.empty()) co_return row.warm_start_checkpoint;
  std::optional<model::TrialId> trial;
  if (searcher.source_trial_id) trial = model::TrialId{*searcher.source_trial_id};
  co_return co_await services.stores.checkpoints.warm_start(searcher.source_checkpoint_uuid, trial);
}

}  // namespace

Task<Result<store::RunPlan>> plan_run(OperatorServices& services, const TrialRound& round,
                                      const model::ExperimentConfig& experiment) {
  store::RunPlan plan;
  plan.pods = pods_of(round.object, services.settings.master, round.moved_to);
  plan.resource_pool = round.moved_to;
  plan.slots_per_pod = round.object.slots / plan.pods;
  plan.account = services.settings.master.default_task;
  auto latest = co_await services.stores.checkpoints.latest(round.row.id);
  DET_CO_TRY(latest);
  if (*latest) {
    plan.checkpoint = (*latest)->uuid;
    plan.steps = (*latest)->steps;
  }
  if (plan.checkpoint.empty()) {
    auto source = co_await warm_start(services, round.row, experiment.searcher);
    DET_CO_TRY(source);
    plan.checkpoint = std::move(*source);
    plan.starts_warm = !plan.checkpoint.empty();
  }
  if (services.settings.master.host_network_ports) {
    plan.port_base = port_block(kTrialPorts, services.settings.cluster_id, round.row.id.value, {});
  }
  for (const store::ExcludedNode& one : round.row.logs.excluded_nodes) plan.excluded_nodes.push_back(one.node);
  co_return plan;
}

pods::TaskRequest task_of_run(const TrialRound& round, const ExperimentCache::FrozenExperiment& experiment,
                              const store::RunPlan& plan, int run) {
  pods::TrialTask trial;
  trial.trial = round.object.key;
  trial.trial_uid = round.object.uid;
  trial.experiment_object = round.object.owner_name;
  trial.experiment_id = round.row.experiment;
  trial.trial_id = round.row.id;
  trial.task_id = round.row.task_id;
  trial.run = run;
  trial.allocation_id = model::allocation_id(round.row.task_id, run);
  trial.num_pods = plan.pods;
  trial.slots_per_pod = plan.slots_per_pod;
  trial.seed = round.row.seed;
  trial.latest_checkpoint = plan.checkpoint;
  trial.steps_completed = plan.steps;
  trial.owner = experiment.stored.username;
  trial.workspace = experiment.stored.workspace_name;
  trial.ports = pods::ports_at(plan.port_base);
  trial.hparams = round.row.hparams;
  trial.excluded_nodes = plan.excluded_nodes;
  trial.account = plan.account;
  if (plan.resource_pool.empty()) return pods::trial_task(trial, experiment.stored.row.config, experiment.config);
  nlohmann::json document = experiment.stored.row.config;
  document["resources"][store::kPoolSetting] = plan.resource_pool;
  model::ExperimentConfig config = experiment.config;
  config.resources.resource_pool = plan.resource_pool;
  return pods::trial_task(trial, document, config);
}

}  // namespace det::op
