#include "operator/trial/trial_pods.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "accept/model_code.h"
#include "base/json_get.h"
#include "operator/experiment/live_settings.h"
#include "operator/trial/run_plan.h"
#include "operator/trial/stored_pod.h"
#include "operator/trial/trial_facts.h"
#include "pods/code_source.h"

namespace det::op {
namespace {

using nlohmann::json;

std::string shown_wait(const TrialRound& round) {
  return get_string(get_any(round.object.status, "scheduling"), "code");
}

}  // namespace

Task<Result<TrialPods::Made>> TrialPods::create(TrialRound& round, Logger log) {
  auto frozen = co_await experiments_.frozen(round.row.experiment, round.object.owner_uid);
  DET_CO_TRY(frozen);
  const ExperimentCache::FrozenExperiment& experiment = **frozen;
  auto plan = round.allocation->plan;
  if (!plan) {
    // The run was started by a program that wrote none.
    auto decided = co_await plan_run(services_, round, experiment.config);
    DET_CO_TRY(decided);
    plan = std::move(*decided);
  }
  const pods::TaskRequest request = task_of_run(round, experiment, *plan, round.row.run);
  auto source = co_await accept::load_code_source(services_.stores.contexts, experiment.view.row.context);
  DET_CO_TRY(source);
  DET_CO_TRY(co_await runs_.ensure_pull_secret(request));
  auto leave = co_await wait_for_leave(round, request, experiment, *source);
  DET_CO_TRY(leave);
  if (*leave) co_return Made{.waits = std::move(*leave), .refused = {}};
  auto missing = co_await missing_of(round, request, experiment, *source);
  DET_CO_TRY(missing);
  auto created = co_await backend_.create(std::move(*missing));
  if (!created && created.error().code == ErrorCode::kInvalidArgument) {
    co_return Made{.waits = {}, .refused = std::move(created).error().message};
  }
  if (!created) {
    services_.events.publish(subject_of(round.object), k8s::EventType::kWarning, "PodsNotCreated",
                             created.error().message);
    co_return std::unexpected(std::move(created).error());
  }
  if (*created) {
    if (shown_wait(round) != (*created)->reason) {
      services_.events.publish(subject_of(round.object), k8s::EventType::kNormal, "GangWaits", (*created)->message);
    }
    DET_CO_TRY(co_await runs_.remove_old(round.workload(), round.row.run, round.facts.run_is_open));
    co_return Made{.waits = std::move(*created), .refused = {}};
  }
  auto rows = resource_rows(request.allocation_id, request.object.name, request.run, request.num_pods,
                            request.slots_per_pod, round.facts.gang.pods);
  DET_CO_TRY(co_await services_.stores.allocations.note_pods(request.allocation_id, model::AllocationState::kPending,
                                                             std::move(rows)));
  log.info("pods created", {{"trial", round.row.id.value}, {"run", request.run}, {"pods", request.num_pods}});
  co_return Made();
}

// A pool that is gone, a policy that has become stricter.
Task<Result<std::optional<GangWait>>> TrialPods::wait_for_leave(const TrialRound& round,
                                                                const pods::TaskRequest& request,
                                                                const ExperimentCache::FrozenExperiment& experiment,
                                                                const json& source) {
  auto waits = wait_for_pool(services_.settings, request.config.resources);
  // A gang of which pods run is made whole.
  if (!waits && round.facts.gang.pods.empty()) {
    const auto owner = experiments_.owner_of(round.object);
    const bool has_template = owner == nullptr || !owner->template_name.empty();
    waits = wait_for_policy(services_.settings, experiment.view.row, source, has_template);
    if (waits && shown_wait(round) != waits->reason) {
      services_.events.publish(subject_of(round.object), k8s::EventType::kWarning, waits->reason, waits->message);
    }
  }
  if (waits) DET_CO_TRY(co_await backend_.release(round.workload()));
  co_return waits;
}

Task<Result<GangRequest>> TrialPods::missing_of(TrialRound& round, const pods::TaskRequest& request,
                                                const ExperimentCache::FrozenExperiment& experiment,
                                                const json& source) {
  DET_CO_TRY(co_await runs_.ensure_bundle(request.object.ns));
  GangRequest missing = gang_of(round);
  missing.priority = queue_priority(experiment.config, services_.live.settings(experiment.view.row));
  for (int rank = 0; rank < request.num_pods; ++rank) {
    const auto is_rank = [rank](const PodFacts& pod) { return pod.rank == rank; };
    if (std::ranges::any_of(round.facts.gang.pods, is_rank)) continue;
    missing.pods.push_back(pods::build_pod(services_.settings, request, rank));
    pods::add_code_source(missing.pods.back(), source);
  }
  if (!missing.pods.empty()) round.pod_spec = pods::shown_pod_spec(missing.pods.front());
  co_return missing;
}

GangRequest TrialPods::gang_of(const TrialRound& round) {
  return {.owner = round.workload(),
          .owner_uid = round.object.uid,
          .name = round.object.key.name + "-" + std::to_string(round.row.run),
          .size = round.pods,
          .order = round.row.id.value};
}

Task<Status> TrialPods::follow(const TrialRound& round) {
  const std::string id = round.allocation->id;
  auto rows = resource_rows(id, round.object.key.name, round.row.run, round.pods, round.object.slots / round.pods,
                            round.facts.gang.pods);
  const auto differs = [&](const store::ResourceRow& row) {
    return std::ranges::none_of(round.resources, [&](const store::ResourceRow& known) {
      return known.rank == row.rank && known.node == row.node && known.ip == row.ip && known.pod_name == row.pod_name;
    });
  };
  const model::AllocationState reached = round.facts.gang.reached;
  const bool moves = model::may_become(round.allocation->state, reached);
  if (moves || std::ranges::any_of(rows, differs)) {
    const model::AllocationState to = moves ? reached : round.allocation->state;
    DET_CO_TRY(co_await services_.stores.allocations.note_pods(id, to, std::move(rows)));
  }
  if (moves) services_.wake_experiment(round.object.key.ns + "/" + round.object.owner_name);
  co_return co_await runs_.remove_old(round.workload(), round.row.run, round.facts.run_is_open);
}

}  // namespace det::op
