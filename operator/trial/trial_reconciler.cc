#include "operator/trial/trial_reconciler.h"

#include "base/json_get.h"
#include "model/cluster/task_namespaces.h"
#include "operator/experiment/live_settings.h"
#include "operator/status_writer.h"
#include "operator/trial/trial_steps.h"
#include "pods/names.h"

namespace det::op {
namespace {

using nlohmann::json;

// A round ends when it has to wait for something; a chain of steps that do not is short.
constexpr int kMaxStepsPerReconcile = 10;
// While a signal is out, its answer arrives in the database, which wakes nobody here.
constexpr std::chrono::seconds kPollWhileLeaving{2};
// Experiments whose trials are looked at again and again are fewer; most of those in a cluster rest or are over.

}  // namespace

Task<Result<k8s::Outcome>> TrialReconciler::reconcile(std::string key, Logger log) {
  // Its Experiment says why it waits; whatever was done here would be refused.
  if (!model::is_task_namespace(services_.settings.master.task_namespaces, k8s::parse_object_key(key).ns)) {
    co_return k8s::Outcome(k8s::AwaitChange{});
  }
  const KeptTrial* found = services_.informers.trials.find(k8s::parse_object_key(key));
  if (found == nullptr || found->head.deleting) {
    pace_.forget(key);
    gone_.erase(key);
    auto released = co_await backend_.release(k8s::parse_object_key(key));
    DET_CO_TRY(released);
    co_return k8s::Outcome(k8s::Done{});
  }
  const TrialView object = found->unpack();
  for (int i = 0; i < kMaxStepsPerReconcile; ++i) {
    auto round = co_await gather(object);
    DET_CO_TRY(round);
    const TrialDecision decision = decide_trial(round->facts, services_.clock.wall_now());
    auto performed = co_await perform(*round, decision, log);
    DET_CO_TRY(performed);
    if (!*performed) continue;
    co_return co_await publish(std::move(*round), decision, **performed);
  }
  co_return k8s::Outcome(k8s::CheckAgain{std::chrono::milliseconds(100)});
}

Task<Result<TrialReconciler::Round>> TrialReconciler::gather(TrialView object) {
  Round round;
  auto run = co_await services_.stores.allocations.run_of(model::TrialId{object.trial_id});
  DET_CO_TRY(run);
  if (!*run)
    co_return fail(ErrorCode::kNotFound, "trial " + std::to_string(object.trial_id) + " is not in the database");
  round.row = std::move((*run)->trial);
  round.allocation = std::move((*run)->allocation);
  round.resources = std::move((*run)->resources);
  auto view = co_await experiment(round.row.experiment, object.owner_uid);
  DET_CO_TRY(view);
  const bool is_open = round.allocation && !round.allocation->ended_at;
  if (!is_open) gone_.erase(to_string(object.key));
  auto gang = co_await observe(object, round);
  DET_CO_TRY(gang);
  const auto owner = owner_of(object);
  round.facts = trial_facts(object, owner.get(), round.row, round.allocation, (*view)->row.config);
  round.facts.gang = std::move(*gang);
  // What ended the run was decided while its pods showed it.
  if (round.facts.has_verdict) round.facts.gang.exit = round.allocation->verdict;
  round.facts.bind_deadline = bind_deadline(round.facts.gang.pods, backend_.bind_timeout());
  const bool is_widened = services_.widened.contains(round.row.experiment);
  round.limits = run_limits((*view)->row.config, live_of((*view)->row), is_widened);
  round.object = std::move(object);
  co_return co_await gather_limits(std::move(round));
}

// The row may be older than what the experiment's own reconcile has done since.
const json& TrialReconciler::live_of(const store::ExperimentRow& row) const {
  const auto found = services_.live.find(row.id);
  return found == services_.live.end() ? row.live : found->second;
}

void TrialReconciler::note_gone(const PodFacts& pod) {
  auto& of_trial = gone_[pod.key.ns + "/" + pod.trial];
  const auto known = of_trial.find(pod.rank);
  if (known == of_trial.end() || known->second.run <= pod.run) of_trial.insert_or_assign(pod.rank, pod);
}

// What only few trials need to know.
Task<Result<TrialReconciler::Round>> TrialReconciler::gather_limits(Round round) {
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

Task<Result<GangState>> TrialReconciler::observe(TrialView object, const Round& round) {
  const store::TrialRow& row = round.row;
  GangExpectation expected;
  expected.size = pods_of(object, services_.settings.master);
  expected.now = services_.clock.wall_now();
  for (const auto& resource : round.resources) {
    if (!resource.pod_name.empty()) expected.created.insert(resource.rank);
    if (resource.daemon) expected.daemons.insert(resource.rank);
  }
  if (const auto gone = gone_.find(to_string(object.key)); gone != gone_.end()) {
    for (const auto& [rank, pod] : gone->second) {
      if (pod.run == row.run) expected.gone.emplace(rank, pod);
    }
  }
  std::vector<PodFacts> pods;
  for (const auto& [key, pod] : services_.informers.pods.by_index(kByTrial, to_string(object.key))) {
    if (pod->run == row.run) pods.push_back(*pod);
  }
  GangState state = observe_gang(std::move(pods), expected);
  const bool is_decided = round.allocation && round.allocation->verdict;
  if (is_decided || !state.exit || state.exit->reason != kPodVanished) co_return state;
  // Our copy may be behind: the pod may be new, not gone. Only the server knows.
  k8s::ListOptions options;
  options.ns = object.key.ns;
  options.label_selector = std::string(pods::kLabelTrial) + "=" + object.key.name + "," + std::string(pods::kLabelRun) +
                           "=" + std::to_string(row.run);
  auto listed = co_await services_.client.list(k8s::pods(), options);
  DET_CO_TRY(listed);
  std::vector<PodFacts> fresh;
  for (const json& pod : listed->items) fresh.push_back(view_pod(pod));
  co_return observe_gang(std::move(fresh), expected);
}

Task<Result<std::optional<k8s::Outcome>>> TrialReconciler::perform(Round& round, TrialDecision decision, Logger log) {
  const bool leaving = round.facts.preempt_requested_at.has_value();
  Status done;
  std::optional<k8s::Outcome> outcome;
  if (decision.step != TrialStep::kWait && decision.step != TrialStep::kCreatePods) {
    auto released = co_await backend_.release(round.object.key);
    DET_CO_TRY(released);
  }
  switch (decision.step) {
    case TrialStep::kRest:
      if (decision.is_stalled) {
        services_.events.publish(subject_of(round.object), k8s::EventType::kWarning, "TrialStalled", decision.reason);
      }
      done = co_await delete_old_pods(round);
      outcome = wait_until(decision.deadline, k8s::Done{});
      break;
    case TrialStep::kWait:
      if (round.facts.gang.reached == model::AllocationState::kPending) {
        done = co_await backend_.keep(gang_of(round));
        if (!done) break;
      }
      done = co_await follow_pods(round, decision, log);
      outcome = leaving ? k8s::Outcome(k8s::CheckAgain{kPollWhileLeaving})
                        : wait_until(decision.deadline, k8s::AwaitChange{});
      break;
    case TrialStep::kStartRun:
      done = co_await start_run(round, log);
      // Another trial of the experiment was faster: its end wakes this one.
      if (!done && done.error().code == ErrorCode::kResourceExhausted) co_return k8s::Outcome(k8s::AwaitChange{});
      break;
    case TrialStep::kCreatePods: {
      auto waits = co_await create_pods(round, log);
      DET_CO_TRY(waits);
      round.waits = std::move(*waits);
      outcome = k8s::AwaitChange{};
      if (round.waits && round.waits->retry_in) outcome = k8s::CheckAgain{*round.waits->retry_in};
      break;
    }
    case TrialStep::kRequestPreemption:
      done = co_await services_.stores.allocations.request_preemption(round.allocation->id);
      break;
    case TrialStep::kRecordVerdict:
      done = co_await services_.stores.allocations.record_verdict(services_.epoch, round.allocation->id,
                                                                  *decision.verdict);
      break;
    case TrialStep::kDeletePods:
      done = co_await delete_pods(round, decision.reason, log);
      outcome = k8s::CheckAgain{std::chrono::seconds(10)};
      break;
    case TrialStep::kEndRun:
      done = co_await end_run(round, decision, log);
      if (decision.withdraws) backend_.back_off(round.object.key, decision.reason);
      break;
    case TrialStep::kFinish:
      done = co_await finish(round, decision, log);
      break;
  }
  DET_CO_TRY(done);
  co_return outcome;
}

// Looks again when time alone may have changed something; a little later, so that it has.
k8s::Outcome TrialReconciler::wait_until(std::optional<WallTime> deadline, k8s::Outcome otherwise) const {
  if (!deadline) return otherwise;
  constexpr std::chrono::milliseconds kAfter{20};
  const auto left = std::max<std::chrono::nanoseconds>(*deadline - services_.clock.wall_now(), kAfter);
  return k8s::CheckAgain{left + kAfter};
}

Task<Result<k8s::Outcome>> TrialReconciler::publish(Round round, TrialDecision decision, k8s::Outcome outcome) {
  if (decision.step != TrialStep::kRest && decision.step != TrialStep::kWait) {
    // What was performed may have moved the row on.
    auto row = co_await services_.stores.trials.find(round.row.id);
    DET_CO_TRY(row);
    if (*row) round.row = std::move(**row);
  }
  if (round.waits) {
    round.facts.gang.waiting_reason = round.waits->reason;
    round.facts.gang.waiting_message = round.waits->message;
  }
  json wanted = trial_status(round.object.status, round.row, round.facts, decision, services_.clock.wall_now());
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

std::shared_ptr<const ExperimentView> TrialReconciler::owner_of(const TrialView& trial) {
  const KeptExperiment* kept = services_.informers.experiments.find({.ns = trial.key.ns, .name = trial.owner_name});
  if (kept == nullptr) return nullptr;
  const bool is_last = last_owner_ != nullptr && last_owner_->uid == kept->head.uid &&
                       last_owner_->resource_version == kept->head.resource_version;
  if (!is_last) last_owner_ = std::make_shared<const ExperimentView>(kept->unpack());
  return last_owner_;
}

Task<Result<TrialReconciler::FrozenExperiment>> TrialReconciler::experiment(model::ExperimentId id, std::string uid) {
  const FrozenExperiment* found = experiments_.find(id);
  if (found != nullptr && (*found)->row.uid == uid) co_return *found;
  auto view = co_await services_.stores.experiments.view(id);
  DET_CO_TRY(view);
  if (!*view) co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
  auto frozen = std::make_shared<const store::ExperimentView>(std::move(**view));
  experiments_.put(id, frozen);
  co_return frozen;
}

}  // namespace det::op
