#include "operator/trial/trial_reconciler.h"

#include "base/json_get.h"
#include "model/cluster/task_namespaces.h"
#include "operator/experiment/live_settings.h"
#include "operator/gang/run_log.h"
#include "operator/status_writer.h"
#include "operator/trial/trial_facts.h"
#include "operator/trial/trial_status.h"
#include "pods/names.h"
#include "store/experiments/experiment_pool.h"

namespace det::op {
namespace {

using nlohmann::json;

// A round ends when it has to wait for something; a chain of steps that do not is short.
constexpr int kMaxStepsPerReconcile = 10;

// Of its open run, else where the next one goes.
std::string pool_of(const TrialRound& round) {
  const bool is_planned = round.allocation && !round.allocation->ended_at && round.allocation->plan;
  const std::string& moved = is_planned ? round.allocation->plan->resource_pool : round.moved_to;
  return moved.empty() ? round.accepted_pool : moved;
}

}  // namespace

Task<Result<k8s::Outcome>> TrialReconciler::reconcile(std::string key, Logger log) {
  // Its Experiment says why it waits; whatever was done here would be refused.
  if (!model::is_task_namespace(services_.settings.master.task_namespaces, k8s::parse_object_key(key).ns)) {
    co_return k8s::Outcome(k8s::AwaitChange{});
  }
  const KeptTrial* found = services_.informers.trials.find(k8s::parse_object_key(key));
  if (found == nullptr || found->head.deleting) {
    pace_.forget(key);
    const WorkloadKey owner = workload_of_trial(k8s::parse_object_key(key));
    observer_.forget(owner);
    auto released = co_await backend_.release(owner);
    DET_CO_TRY(released);
    co_return k8s::Outcome(k8s::Done{});
  }
  const ObservedTrial object = found->unpack();
  for (int i = 0; i < kMaxStepsPerReconcile; ++i) {
    auto gathered = co_await gather(object);
    DET_CO_TRY(gathered);
    if (!*gathered) co_return k8s::Outcome(k8s::AwaitChange{});
    std::optional<TrialRound>& round = *gathered;
    const RunDecision decision = decide_run(round->facts, services_.clock.wall_now());
    auto performed = co_await effects_.perform(*round, decision, log);
    if (!performed && performed.error().code == ErrorCode::kPermissionDenied) {
      co_return co_await tell_refused(std::move(*round), decision, std::move(performed).error());
    }
    DET_CO_TRY(performed);
    if (!*performed) continue;
    co_return co_await publish(std::move(*round), decision, **performed);
  }
  co_return k8s::Outcome(k8s::CheckAgain{std::chrono::milliseconds(100)});
}

Task<Result<std::optional<TrialRound>>> TrialReconciler::gather(ObservedTrial object) {
  if (object.owner_uid.empty()) co_return std::nullopt;  // orphaned: operator/cluster/orphans.h
  // A copy that somebody made, or a restore under another name, would take the trial's run for one without pods.
  if (object.key.name != pods::trial_object_name(object.owner_name, model::TrialId{object.trial_id})) {
    services_.events.publish({.resource = k8s::trials(), .key = object.key, .uid = object.uid},
                             k8s::EventType::kWarning, "NotItsTrial",
                             "trial " + std::to_string(object.trial_id) +
                                 " has an object of its own; this one is passed over, and can be deleted");
    co_return std::nullopt;
  }
  TrialRound round;
  auto run = co_await services_.stores.allocations.run_of(model::TrialId{object.trial_id});
  DET_CO_TRY(run);
  if (!*run)
    co_return fail(ErrorCode::kNotFound, "trial " + std::to_string(object.trial_id) + " is not in the database");
  // An experiment that is continued has another object, whose Trials have the names of those before; our copies of
  // these may outlive them, and a run that they began would have the hyperparameters of then.
  if ((*run)->experiment_uid != object.owner_uid) co_return std::nullopt;
  round.row = std::move((*run)->trial);
  round.allocation = std::move((*run)->allocation);
  round.resources = std::move((*run)->resources);
  round.object = std::move(object);
  auto frozen = co_await experiments_.frozen(round.row.experiment, round.object.owner_uid);
  DET_CO_TRY(frozen);
  const ExperimentCache::FrozenExperiment& experiment = **frozen;
  const store::ExperimentRow& row = experiment.stored.row;
  round.moved_to = store::moved_to(row, services_.live.settings(row));
  round.accepted_pool = store::accepted_pool(row);
  const bool is_open = round.allocation && !round.allocation->ended_at;
  // Of an open run it was decided when that started.
  round.pods = is_open && round.allocation->plan ? round.allocation->plan->pods
                                                 : pods_of(round.object, services_.settings.master, round.moved_to);
  auto gang = co_await observer_.observe({.owner = round.workload(),
                                          .owner_uid = round.object.uid,
                                          .run = round.row.run,
                                          .size = round.pods,
                                          .is_open = is_open,
                                          .has_verdict = round.allocation && round.allocation->verdict,
                                          .resources = round.resources});
  DET_CO_TRY(gang);
  const auto owner = experiments_.owner_of(round.object);
  // It has just been deleted, and this Trial goes with it: nothing begins that whoever paused or stopped it did not
  // want.
  if (owner == nullptr && !is_open) co_return std::nullopt;
  round.facts = trial_facts(round.object, owner.get(), round.row, round.allocation, experiment.config);
  round.facts.gang = std::move(*gang);
  // What ended the run was decided while its pods showed it.
  if (round.facts.has_verdict) round.facts.gang.exit = round.allocation->verdict;
  round.facts.bind_deadline = bind_deadline(round.facts.gang.pods, backend_.bind_timeout(round.pods));
  round.facts.moves = leaves_pool(round.allocation, row, round.moved_to);
  round.limits = run_limits(experiment.config, services_.live.settings(row), services_.live.is_widened(row.id));
  auto whole = co_await gather_limits(std::move(round));
  DET_CO_TRY(whole);
  co_return std::optional(std::move(*whole));
}

// What only few trials need to know.
Task<Result<TrialRound>> TrialReconciler::gather_limits(TrialRound round) {
  if (model::is_terminal(round.row.state)) co_return round;
  if (round.limits.any()) {
    auto open = co_await services_.stores.trials.open_runs(round.row.experiment);
    DET_CO_TRY(open);
    round.facts.no_room = store::over_limit(round.limits, *open, round.row.id, round.object.slots);
  }
  if (!round.facts.run_is_open && round.row.infra_restarts > 0) {
    const WallTime since = services_.clock.wall_now() - kInfraWindow;
    auto failures = co_await services_.stores.trials.infra_failures(round.row.id, since);
    DET_CO_TRY(failures);
    round.facts.infra = std::move(*failures);
  }
  co_return round;
}

Task<Result<k8s::Outcome>> TrialReconciler::tell_refused(TrialRound round, RunDecision decision, Error refused) {
  services_.events.publish(round.subject(), k8s::EventType::kWarning, kPodsNotCreated, refused.message);
  round.waits = refused_wait(refused.message);
  DET_CO_TRY(co_await publish(std::move(round), std::move(decision), k8s::AwaitChange{}));
  co_return std::unexpected(std::move(refused));
}

// For who follows its log and sees no status: it may be for ever. Once for each run that is to come.
Task<void> TrialReconciler::log_limit(const TrialRound& round) {
  const std::string coming = model::allocation_id(round.row.task_id, round.row.run + 1);
  if (!limit_notes_.is_new(coming, "Limit")) co_return;
  co_await write_run_log(services_.stores.logs, services_.clock, round.row.task_id, coming,
                         "Waiting to be scheduled: " + round.facts.no_room);
}

Task<Result<k8s::Outcome>> TrialReconciler::publish(TrialRound round, RunDecision decision, k8s::Outcome outcome) {
  if (decision.step != RunStep::kRest && decision.step != RunStep::kWait) {
    // What was performed may have moved the row on.
    auto row = co_await services_.stores.trials.find(round.row.id);
    DET_CO_TRY(row);
    if (*row) round.row = std::move(**row);
  }
  if (decision.step == RunStep::kRest && !round.facts.no_room.empty() && decision.reason == round.facts.no_room) {
    co_await log_limit(round);
  }
  if (round.waits) {
    round.facts.gang.waiting_reason = round.waits->reason;
    round.facts.gang.waiting_message = round.waits->message;
  }
  json wanted = trial_status(round.object, round.row, round.facts, decision, services_.clock.wall_now());
  if (const std::string pool = pool_of(round); !pool.empty()) wanted["resourcePool"] = pool;
  if (round.waits) wanted["scheduling"] = round.waits->tree;
  const json& shown = round.pod_spec.is_null() ? get_any(round.object.status, "podSpec") : round.pod_spec;
  if (!shown.is_null()) wanted["podSpec"] = shown;
  const std::string key = to_string(round.object.key);
  const bool over = model::is_terminal(round.row.state);
  const auto delay = pace_.delay(key, round.object.status, wanted, over, services_.clock.steady_now());
  if (!delay) co_return outcome;
  if (delay->count() > 0) {
    const auto* again = std::get_if<k8s::CheckAgain>(&outcome);
    co_return k8s::CheckAgain{again == nullptr ? *delay : std::min(*delay, again->after)};
  }
  auto written = co_await write_status(services_.client, k8s::trials(), round.object.key, round.object.status, wanted);
  DET_CO_TRY(written);
  pace_.written(key, round.object.status, wanted, services_.clock.steady_now());
  co_return outcome;
}

}  // namespace det::op
