#include "operator/trial/run_plan.h"

#include "base/json_get.h"
#include "operator/trial/trial_facts.h"

namespace det::op {
namespace {

using nlohmann::json;

// Another trial's checkpoint, chosen at the first run and kept: the other trial may still be training.
Task<Result<std::string>> warm_start(Services& services, const store::TrialRow& row, const json& config) {
  if (!row.warm_start_checkpoint.empty()) co_return row.warm_start_checkpoint;
  const json& searcher = get_any(config, "searcher");
  std::optional<std::string> uuid;
  std::optional<model::TrialId> trial;
  if (get_any(searcher, "source_checkpoint_uuid").is_string()) uuid = get_string(searcher, "source_checkpoint_uuid");
  if (get_any(searcher, "source_trial_id").is_number()) {
    trial = model::TrialId{get_integer(searcher, "source_trial_id")};
  }
  co_return co_await services.stores.checkpoints.warm_start(std::move(uuid), trial);
}

}  // namespace

Task<Result<store::RunPlan>> plan_run(Services& services, const TrialRound& round,
                                      const store::ExperimentView& experiment) {
  store::RunPlan plan;
  plan.pods = pods_of(round.object, services.settings.master);
  plan.slots_per_pod = round.object.slots / plan.pods;
  auto latest = co_await services.stores.checkpoints.latest(round.row.id);
  DET_CO_TRY(latest);
  if (*latest) {
    plan.checkpoint = (*latest)->uuid;
    plan.steps = (*latest)->steps;
  }
  if (plan.checkpoint.empty()) {
    auto source = co_await warm_start(services, round.row, experiment.row.config);
    DET_CO_TRY(source);
    plan.checkpoint = std::move(*source);
    plan.starts_warm = !plan.checkpoint.empty();
  }
  plan.port_base = port_block(services.settings.master, round.row.id);
  for (const store::ExcludedNode& one : round.row.logs.excluded_nodes) plan.excluded_nodes.push_back(one.node);
  co_return plan;
}

pods::GangRequest gang_request(const TrialRound& round, const store::ExperimentView& experiment,
                               const store::RunPlan& plan, int run) {
  pods::GangRequest gang;
  gang.trial = round.object.key;
  gang.trial_uid = round.object.uid;
  gang.experiment_object = round.object.owner_name;
  gang.experiment_id = round.row.experiment;
  gang.trial_id = round.row.id;
  gang.task_id = round.row.task_id;
  gang.run = run;
  gang.allocation_id = model::allocation_id(round.row.task_id, run);
  gang.num_pods = plan.pods;
  gang.slots_per_pod = plan.slots_per_pod;
  gang.seed = round.row.seed;
  gang.latest_checkpoint = plan.checkpoint;
  gang.steps_completed = plan.steps;
  gang.starts_warm = plan.starts_warm;
  gang.owner = experiment.username;
  gang.workspace = experiment.workspace_name;
  gang.ports = ports_at(plan.port_base);
  gang.config = experiment.row.config;
  gang.hparams = round.row.hparams;
  gang.excluded_nodes = plan.excluded_nodes;
  return gang;
}

}  // namespace det::op
