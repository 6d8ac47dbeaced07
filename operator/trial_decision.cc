#include "operator/trial_decision.h"

namespace det::op {
namespace {

using model::TrialState;

TrialDecision step(TrialStep what, std::string reason = {}) {
  TrialDecision decision;
  decision.step = what;
  decision.reason = std::move(reason);
  return decision;
}

TrialDecision finish(TrialState state, std::string reason) {
  TrialDecision decision = step(TrialStep::kFinish, std::move(reason));
  decision.final_state = state;
  return decision;
}

bool should_leave(const TrialFacts& facts) {
  return facts.suspend || facts.stop != StopRequest::kNone || facts.stopped_by_searcher;
}

// The program ended by itself.
TrialDecision after_success(const TrialFacts& facts) {
  if (facts.stop != StopRequest::kNone) return finish(TrialState::kCanceled, "canceled");
  if (facts.stopped_by_searcher) return finish(TrialState::kCompleted, "stopped by the searcher");
  // Old harnesses acknowledge when they are merely out of work: only a signal that was sent makes it a pause.
  if (facts.preempt_requested_at && facts.preempt_acked) return step(TrialStep::kEndRun, "preempted");
  return finish(TrialState::kCompleted, "resources exited successfully with a zero exit code");
}

// As often as the configuration allows, from the latest checkpoint; also while paused, when the next run waits.
TrialDecision after_user_error(const TrialFacts& facts, const RunExit& exit) {
  if (facts.restarts < facts.max_restarts) {
    TrialDecision decision = step(TrialStep::kEndRun, exit.message);
    decision.counts = Counts::kRestart;
    return decision;
  }
  if (facts.max_restarts == 0) return finish(TrialState::kError, exit.message);
  return finish(TrialState::kError, exit.message + "; trial exceeded max restarts (max_restarts: " +
                                        std::to_string(facts.max_restarts) + ")");
}

TrialDecision after_failure(const TrialFacts& facts, const RunExit& exit) {
  if (facts.stop != StopRequest::kNone) return finish(TrialState::kCanceled, "killed");
  if (facts.stopped_by_searcher) return finish(TrialState::kCompleted, "stopped by the searcher");
  if (exit.kind == ExitClass::kUserError) return after_user_error(facts, exit);
  if (facts.suspend) return step(TrialStep::kEndRun, "paused");
  if (facts.infra_restarts >= kMaxInfraRestarts) {
    return finish(TrialState::kError, "given up after " + std::to_string(kMaxInfraRestarts) +
                                          " failures of the infrastructure, the last one: " + exit.message);
  }
  TrialDecision decision = step(TrialStep::kEndRun, exit.message);
  decision.counts = Counts::kInfraRestart;
  return decision;
}

TrialDecision after_exit(const TrialFacts& facts) {
  // One pod failing ends the whole gang; what is left of it goes first.
  if (facts.gang.alive > 0) return step(TrialStep::kDeletePods, facts.gang.exit->message);
  return facts.gang.exit->kind == ExitClass::kSuccess ? after_success(facts) : after_failure(facts, *facts.gang.exit);
}

// Someone wants the slots back, or the trial gone.
TrialDecision leave(const TrialFacts& facts, WallTime now) {
  const bool kill = facts.stop == StopRequest::kKill || !facts.is_ready;
  if (kill) {
    if (facts.gang.alive > 0) return step(TrialStep::kDeletePods, facts.suspend ? "paused" : "killed");
    return facts.stop != StopRequest::kNone ? finish(TrialState::kCanceled, "killed")
                                            : step(TrialStep::kEndRun, "paused");
  }
  if (!facts.preempt_requested_at) return step(TrialStep::kRequestPreemption);
  const WallTime deadline = *facts.preempt_requested_at + facts.preemption_timeout;
  if (now >= deadline) {
    return step(TrialStep::kDeletePods,
                "allocation did not preempt in " + std::to_string(facts.preemption_timeout.count()) + "s");
  }
  TrialDecision decision = step(TrialStep::kWait);
  decision.deadline = deadline;
  return decision;
}

// A gang that holds some nodes while others of its pods find none: all of it goes, and comes back later. The run ends
// first; the pods of a run that ended are deleted.
TrialDecision wait_for_binding(const TrialFacts& facts, WallTime now) {
  const bool is_waiting = facts.bind_deadline && facts.gang.reached == model::AllocationState::kPending;
  if (!is_waiting) return step(TrialStep::kWait);
  if (now < *facts.bind_deadline) {
    TrialDecision decision = step(TrialStep::kWait);
    decision.deadline = facts.bind_deadline;
    return decision;
  }
  std::string why = "the gang was withdrawn: not all of its pods were bound to a node in time";
  if (!facts.gang.waiting_message.empty()) why += "; " + facts.gang.waiting_message;
  TrialDecision decision = step(TrialStep::kEndRun, std::move(why));
  decision.withdraws = true;
  return decision;
}

}  // namespace

TrialDecision decide_trial(const TrialFacts& facts, WallTime now) {
  if (model::is_terminal(facts.state)) {
    if (facts.gang.alive > 0) return step(TrialStep::kDeletePods, "the trial is over");
    // Left open by an operator that was killed between the two writes.
    return facts.run_is_open ? step(TrialStep::kEndRun, "the trial is over") : step(TrialStep::kRest);
  }
  if (!facts.run_is_open) {
    if (facts.stop != StopRequest::kNone) return finish(TrialState::kCanceled, "canceled before it ran");
    if (facts.stopped_by_searcher) return finish(TrialState::kCompleted, "stopped by the searcher");
    return facts.suspend ? step(TrialStep::kRest) : step(TrialStep::kStartRun);
  }
  if (facts.gang.exit) return after_exit(facts);
  if (should_leave(facts)) return leave(facts, now);
  const TrialDecision binding = wait_for_binding(facts, now);
  if (binding.withdraws) return binding;
  return facts.gang.missing > 0 ? step(TrialStep::kCreatePods) : binding;
}

}  // namespace det::op
