#include "operator/gang/run_decision.h"

#include <algorithm>

namespace det::op {
namespace {

using model::TrialState;

RunDecision step(RunStep what, std::string reason = {}) {
  RunDecision decision;
  decision.step = what;
  decision.reason = std::move(reason);
  return decision;
}

RunDecision finish(TrialState state, std::string reason) {
  RunDecision decision = step(RunStep::kFinish, std::move(reason));
  decision.final_state = state;
  return decision;
}

RunDecision record(RunExit verdict) {
  RunDecision decision = step(RunStep::kRecordVerdict, verdict.message);
  decision.verdict = std::move(verdict);
  return decision;
}

constexpr const char* kStoppedReason = "Stopped";
constexpr const char* kNotNeededReason = "NotNeeded";

// The operator ends the run itself, for `why`.
RunExit stopped(std::string why, const char* reason = kStoppedReason) {
  return {.kind = ExitClass::kStopped, .code = std::nullopt, .reason = reason, .message = std::move(why)};
}

// Upstream's InvalidHPKillDelay.
constexpr std::chrono::seconds kInvalidHpPatience{10};
constexpr const char* kInvalidHp = "it reported invalid hyperparameters";
constexpr const char* kNotTwice = "; what it had begun is not run a second time";
constexpr const char* kAwaitsWork = "waits for the search to let it train on";

// A trial that does not ask for work has to be told that there is none.
bool is_out_of_work(const RunFacts& facts) {
  return !facts.asks_for_work && (facts.awaits_work || facts.work_is_over);
}

bool should_leave(const RunFacts& facts) {
  return facts.suspend || !facts.not_needed.empty() || facts.stop != StopRequest::kNone || facts.stopped_by_searcher ||
         !facts.no_room.empty() || !facts.moves.empty() || facts.has_invalid_hp || is_out_of_work(facts);
}

// The program ended by itself.
RunDecision after_success(const RunFacts& facts) {
  if (facts.stop != StopRequest::kNone) return finish(TrialState::kCanceled, "canceled");
  if (facts.stopped_by_searcher) return finish(TrialState::kCompleted, "stopped by the searcher");
  if (facts.work_is_over) return finish(TrialState::kCompleted, "resources exited successfully with a zero exit code");
  if (facts.awaits_work && facts.preempt_acked) return step(RunStep::kEndRun, kAwaitsWork);
  // Old harnesses acknowledge when they are merely out of work: only a signal that was sent makes it a pause, or work
  // that came when the trial was already on its way out.
  if (facts.preempt_requested_at && facts.preempt_acked) {
    return step(RunStep::kEndRun, facts.moves.empty() ? "preempted" : facts.moves);
  }
  if (facts.asks_for_work && facts.has_worked && facts.preempt_acked) return step(RunStep::kEndRun, kAwaitsWork);
  return finish(TrialState::kCompleted, "resources exited successfully with a zero exit code");
}

const char* stop_text(const RunFacts& facts) {
  return facts.stop == StopRequest::kCancel ? "canceled" : "killed";
}

// As often as the configuration allows, from the latest checkpoint; also while paused, when the next run waits.
RunDecision after_user_error(const RunFacts& facts, const RunExit& exit) {
  if (!facts.no_retry.empty()) {
    return finish(TrialState::kError,
                  "trial failed and not retrying due to logs matching a don't retry policy check trial logs for more "
                  "info: " +
                      facts.no_retry + "; " + exit.message);
  }
  if (facts.restarts < facts.max_restarts) {
    RunDecision decision = step(RunStep::kEndRun, exit.message);
    decision.counts = Counts::kRestart;
    return decision;
  }
  if (facts.max_restarts == 0) return finish(TrialState::kError, exit.message);
  return finish(TrialState::kError, exit.message + "; trial exceeded max restarts (max_restarts: " +
                                        std::to_string(facts.max_restarts) + ")");
}

// The operator itself ended the run: nothing counts.
RunDecision after_stop(const RunFacts& facts, const RunExit& exit) {
  if (facts.stop != StopRequest::kNone) return finish(TrialState::kCanceled, stop_text(facts));
  if (facts.stopped_by_searcher) return finish(TrialState::kCompleted, "stopped by the searcher");
  // Whoever asks for it while it ends comes too late: what it held is gone.
  if (exit.reason == kNotNeededReason) return finish(TrialState::kCompleted, exit.message);
  if (!facts.not_needed.empty()) return finish(TrialState::kCompleted, facts.not_needed);
  if (facts.has_invalid_hp) return finish(TrialState::kCompleted, kInvalidHp);
  return step(RunStep::kEndRun, exit.message);
}

RunDecision after_failure(const RunFacts& facts, const RunExit& exit) {
  if (facts.stop != StopRequest::kNone) return finish(TrialState::kCanceled, stop_text(facts));
  if (facts.stopped_by_searcher) return finish(TrialState::kCompleted, "stopped by the searcher");
  // What has heard the signal may end as it likes, as with Determined: it left because it was told to.
  const bool has_left = !facts.runs_once && facts.preempt_requested_at && facts.preempt_acked;
  if (exit.kind == ExitClass::kUserError && !has_left) return after_user_error(facts, exit);
  if (exit.kind == ExitClass::kInvalidPod) return finish(TrialState::kError, exit.message);
  if (is_out_of_work(facts)) {
    return facts.work_is_over ? finish(TrialState::kCompleted, "stopped by the searcher")
                              : step(RunStep::kEndRun, kAwaitsWork);
  }
  if (facts.suspend) return step(RunStep::kEndRun, "paused");
  if (!facts.no_room.empty()) return step(RunStep::kEndRun, facts.no_room);
  if (!facts.moves.empty()) return step(RunStep::kEndRun, facts.moves);
  if (!facts.not_needed.empty()) return finish(TrialState::kCompleted, facts.not_needed);
  if (exit.kind == ExitClass::kUserError) return step(RunStep::kEndRun, "preempted; " + exit.message);
  if (facts.runs_once && !exit.never_ran) {
    return finish(TrialState::kError, exit.message + kNotTwice);
  }
  RunDecision decision = step(RunStep::kEndRun, exit.message);
  decision.counts = Counts::kInfraRestart;
  return decision;
}

RunDecision after_exit(const RunFacts& facts) {
  const RunExit& exit = *facts.gang.exit;
  // One pod failing ends the whole gang; what is left of it goes first. Where nothing ran, the run ends before the pods
  // go. Either way why it ended is written down while the pods show it: afterwards they show our own deletion.
  if (facts.gang.alive > 0 && !exit.never_ran) {
    return facts.has_verdict ? step(RunStep::kDeletePods, exit.message) : record(exit);
  }
  // However it ended: no other run can do better, and the search makes another trial in its place.
  if (facts.has_invalid_hp && facts.stop == StopRequest::kNone) return finish(TrialState::kCompleted, kInvalidHp);
  if (exit.kind == ExitClass::kSuccess) return after_success(facts);
  return exit.kind == ExitClass::kStopped ? after_stop(facts, exit) : after_failure(facts, exit);
}

// How long it may take to leave. What reported invalid hyperparameters has nothing to save.
std::chrono::seconds patience(const RunFacts& facts) {
  const bool is_useless = facts.has_invalid_hp && facts.stop == StopRequest::kNone;
  return is_useless ? std::min(facts.preemption_timeout, kInvalidHpPatience) : facts.preemption_timeout;
}

// Someone wants the slots back, or the trial gone.
RunDecision leave(const RunFacts& facts, WallTime now) {
  const bool kill = facts.stop == StopRequest::kKill || !facts.is_ready || !facts.hears_signals;
  if (kill) {
    const bool is_stopped = facts.stop != StopRequest::kNone;
    const bool is_not_needed = !is_stopped && !facts.stopped_by_searcher && !facts.not_needed.empty();
    const std::string why = is_stopped                  ? stop_text(facts)
                            : facts.stopped_by_searcher ? "killed"
                            : is_not_needed             ? facts.not_needed
                            : facts.suspend             ? "paused"
                            : !facts.no_room.empty()    ? facts.no_room
                            : !facts.moves.empty()      ? facts.moves
                                                        : kAwaitsWork;
    RunExit exit = stopped(why, is_not_needed ? kNotNeededReason : kStoppedReason);
    return facts.gang.alive > 0 ? record(std::move(exit)) : after_stop(facts, exit);
  }
  if (!facts.preempt_requested_at) return step(RunStep::kRequestPreemption);
  const WallTime deadline = *facts.preempt_requested_at + patience(facts);
  if (now >= deadline) {
    return record(stopped("allocation did not preempt in " + std::to_string(patience(facts).count()) + "s"));
  }
  RunDecision decision = step(RunStep::kWait);
  decision.deadline = deadline;
  return decision;
}

// A gang that holds some nodes while others of its pods find none: all of it goes, and comes back later. The run ends
// first; the pods of a run that ended are deleted.
std::optional<RunDecision> withdrawal(const RunFacts& facts, WallTime now) {
  const bool is_late = facts.bind_deadline && now >= *facts.bind_deadline;
  if (!is_late || facts.gang.reached != model::AllocationState::kPending) return std::nullopt;
  std::string why = "the gang was withdrawn: not all of its pods were bound to a node in time";
  if (!facts.gang.waiting_message.empty()) why += "; " + facts.gang.waiting_message;
  const auto has_begun = [](const PodFacts& pod) { return pod.main_is_running || pod.running_since || pod.exit_code; };
  if (facts.runs_once && std::ranges::any_of(facts.gang.pods, has_begun)) {
    return finish(TrialState::kError, why + kNotTwice);
  }
  RunDecision decision = step(RunStep::kEndRun, std::move(why));
  decision.withdraws = true;
  return decision;
}

// The next run, at once or when the back-off is over.
RunDecision start(const RunFacts& facts, WallTime now) {
  if (facts.suspend) return step(RunStep::kRest);
  if (!facts.no_room.empty()) return step(RunStep::kRest, facts.no_room);
  if (facts.infra.count == 0) return step(RunStep::kStartRun);
  const bool is_stalled = facts.infra.count >= kMaxInfraRestarts;
  const WallTime due =
      is_stalled ? facts.infra.first + kInfraWindow : facts.infra.last + infra_back_off(facts.infra.count);
  if (now >= due) return step(RunStep::kStartRun);
  RunDecision decision = step(RunStep::kRest);
  decision.deadline = due;
  decision.is_stalled = is_stalled;
  const std::string last = "; the last one: " + facts.infra.last_reason;
  decision.reason =
      is_stalled
          ? std::to_string(facts.infra.count) + " failures of the infrastructure within an hour; the next try is at " +
                format_rfc3339_seconds(due) + last
          : "runs again at " + format_rfc3339_seconds(due) + " after " + std::to_string(facts.infra.count) +
                " failures of the infrastructure within an hour" + last;
  return decision;
}

RunDecision wait(const RunFacts& facts, WallTime now) {
  RunDecision decision = step(RunStep::kWait);
  decision.deadline = facts.gang.look_again_at;
  if (facts.bind_deadline && facts.gang.reached == model::AllocationState::kPending) {
    decision.deadline = std::min(decision.deadline.value_or(*facts.bind_deadline), *facts.bind_deadline);
  }
  if (facts.is_ready || !facts.hears_signals || !facts.gang.all_running_since) return decision;
  const WallTime due = *facts.gang.all_running_since + kRendezvousPatience;
  decision.is_rendezvous_slow = now >= due;
  if (now < due) decision.deadline = std::min(decision.deadline.value_or(due), due);
  return decision;
}

}  // namespace

std::chrono::seconds infra_back_off(int failures) {
  std::chrono::seconds wait{0};
  for (int i = 1; i < failures && wait < kMaxBackOff; ++i) wait = i == 1 ? kFirstBackOff : wait * 2;
  return std::min(wait, kMaxBackOff);
}

namespace {

RunDecision decide(const RunFacts& facts, WallTime now) {
  if (model::is_terminal(facts.state)) {
    if (facts.gang.alive > 0) return step(RunStep::kDeletePods, "it is over");
    // Left open by an operator that was killed between the two writes.
    return facts.run_is_open ? step(RunStep::kEndRun, "it is over") : step(RunStep::kRest);
  }
  if (!facts.run_is_open) {
    if (facts.gang.alive > 0) return step(RunStep::kDeletePods, "the run is over");
    if (facts.stop != StopRequest::kNone) {
      return finish(TrialState::kCanceled, facts.run == 0 ? "canceled before it ran" : "canceled");
    }
    if (facts.stopped_by_searcher) return finish(TrialState::kCompleted, "stopped by the searcher");
    if (facts.has_invalid_hp) return finish(TrialState::kCompleted, kInvalidHp);
    // After a failure it runs again, if only to see that all is done.
    const bool is_done = facts.work_is_over && (facts.last_run_was_good || !facts.asks_for_work);
    if (is_done) return finish(TrialState::kCompleted, "the search is done with it");
    if (facts.awaits_work) return step(RunStep::kRest, kAwaitsWork);
    return start(facts, now);
  }
  if (facts.gang.exit) return after_exit(facts);
  if (should_leave(facts)) return leave(facts, now);
  if (auto withdrawn = withdrawal(facts, now)) return std::move(*withdrawn);
  if (facts.gang.missing > 0) return step(RunStep::kCreatePods);
  return wait(facts, now);
}

}  // namespace

RunDecision decide_run(const RunFacts& facts, WallTime now) {
  RunDecision decision = decide(facts, now);
  // Pods of a run that is over may still have to be deleted.
  const auto& again = facts.gang.look_again_at;
  if (decision.step == RunStep::kRest && again)
    decision.deadline = std::min(decision.deadline.value_or(*again), *again);
  return decision;
}

}  // namespace det::op
