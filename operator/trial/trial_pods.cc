#include "operator/trial/trial_pods.h"

#include <utility>

#include "accept/model_code.h"
#include "base/json_get.h"
#include "base/ssh_key.h"
#include "operator/experiment/live_settings.h"
#include "operator/trial/run_plan.h"
#include "operator/trial/stored_pod.h"

namespace det::op {
namespace {

using nlohmann::json;

// Launchers start their processes on the other pods by ssh. Made anew each time: the Secret that was made first stays.
Status add_ssh_keys(pods::TaskRequest& request) {
  if (request.num_pods < 2) return {};
  auto keys = make_ssh_keys("determined-trial");
  DET_TRY(keys);
  request.files = {{"id_rsa", std::move(keys->private_key)}, {"id_rsa.pub", std::move(keys->public_key)}};
  return {};
}

std::string shown_wait(const TrialRound& round) {
  return get_string(get_any(round.object.status, "scheduling"), "code");
}

}  // namespace

Task<Result<GangPods::Made>> TrialPods::create(TrialRound& round, Logger log) {
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
  pods::TaskRequest request = task_of_run(round, experiment, *plan, round.row.run);
  DET_CO_TRY(add_ssh_keys(request));
  auto source = co_await accept::load_code_source(services_.stores.contexts, experiment.stored.row.context);
  DET_CO_TRY(source);
  DET_CO_TRY(co_await runs_.ensure_more_secrets(request));
  auto leave = co_await wait_for_leave(round, request, experiment, *source);
  DET_CO_TRY(leave);
  if (*leave) co_return GangPods::Made{.waits = std::move(*leave), .refused = {}, .pod_spec = {}};
  GangOfRun gang = gang_of(round);
  gang.priority = queue_priority(experiment.config, services_.live.settings(experiment.stored.row));
  gang.job = {.experiment = experiment.stored.row.id, .submitted = experiment.stored.row.start_time};
  auto made = co_await gangs_.create(std::move(gang), request, std::move(*source), round.facts.gang, shown_wait(round));
  DET_CO_TRY(made);
  round.pod_spec = std::move(made->pod_spec);
  if (made->waits || !made->refused.empty()) co_return made;
  log.info("pods created", {{"trial", round.row.id.value}, {"run", request.run}, {"pods", request.num_pods}});
  co_return made;
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
    waits = wait_for_policy(services_.settings, experiment.stored.row, request.config.resources.resource_pool, source,
                            has_template);
    if (waits && shown_wait(round) != waits->reason) {
      services_.events.publish(round.subject(), k8s::EventType::kWarning, waits->reason, waits->message);
    }
  }
  if (waits) {
    co_await gangs_.log_wait(request.task_id, request.allocation_id, *waits);
    DET_CO_TRY(co_await backend_.release(round.workload()));
  }
  co_return waits;
}

GangOfRun TrialPods::gang_of(const TrialRound& round) {
  return {.owner = round.workload(),
          .owner_uid = round.object.uid,
          .order = round.row.task_number,
          .shape = {.allocation_id = model::allocation_id(round.row.task_id, round.row.run),
                    .base_name = round.object.key.name,
                    .run = round.row.run,
                    .pods = round.pods,
                    .slots_per_pod = round.object.slots / round.pods}};
}

Task<Status> TrialPods::follow(const TrialRound& round) {
  auto moved = co_await gangs_.follow(gang_of(round), round.facts.gang, *round.allocation, round.resources);
  DET_CO_TRY(moved);
  if (*moved) services_.wake_experiment(round.object.key.ns + "/" + round.object.owner_name);
  co_return Status{};
}

}  // namespace det::op
