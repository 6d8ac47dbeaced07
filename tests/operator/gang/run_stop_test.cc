// How runs leave that somebody wants to: pauses, kills, cancels, the searcher.

#include <gtest/gtest.h>

#include "operator/gang/run_decision.h"
#include "tests/operator/gang/run_facts.h"

namespace det::op {
namespace {

using model::TrialState;

TEST(RunDecision, PausesByASignalWhenTheHarnessCanHearIt) {
  RunFacts facts = running();
  facts.suspend = true;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kRequestPreemption);
  facts.preempt_requested_at = kNow - std::chrono::seconds(10);
  const auto waiting = decide_run(facts, kNow);
  EXPECT_EQ(waiting.step, RunStep::kWait);
  EXPECT_EQ(waiting.deadline, kNow - std::chrono::seconds(10) + facts.preemption_timeout);
}

// It may have died of the signal: while it saved, or because its program takes SIGTERM for an error.
TEST(RunDecision, WhatHeardTheSignalMayEndWithAnyCode) {
  RunFacts facts = ended(ExitClass::kUserError);
  facts.max_restarts = 0;
  facts.preempt_requested_at = kNow;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kFinish) << "it did not hear it";
  facts.preempt_acked = true;
  const auto left = decide_run(facts, kNow);
  EXPECT_EQ(left.step, RunStep::kEndRun);
  EXPECT_EQ(left.counts, Counts::kNothing);
  EXPECT_EQ(left.reason, "preempted; x");
  facts.suspend = true;
  EXPECT_EQ(decide_run(facts, kNow).reason, "paused");
  facts.stop = StopRequest::kKill;
  EXPECT_EQ(decide_run(facts, kNow).final_state, TrialState::kCanceled);
  facts = ended(ExitClass::kUserError);
  facts.preempt_acked = true;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kFinish) << "nobody told it to leave";
}

TEST(RunDecision, DeletesPodsThatDidNotLeaveInTime) {
  RunFacts facts = running();
  facts.suspend = true;
  facts.preemption_timeout = std::chrono::seconds(5);
  facts.preempt_requested_at = kNow - std::chrono::seconds(10);
  expect_recorded_then_deleted(facts);
}

TEST(RunDecision, DeletesPodsThatStaySoonAfterTheyReportedInvalidHyperparameters) {
  RunFacts facts = running();
  facts.has_invalid_hp = true;
  facts.preempt_requested_at = kNow;
  EXPECT_EQ(decide_run(facts, kNow).deadline, kNow + std::chrono::seconds(10));
  expect_recorded_then_deleted(facts, kNow + std::chrono::seconds(10));
  RunFacts canceled = running();
  canceled.has_invalid_hp = true;
  canceled.preempt_requested_at = kNow;
  canceled.stop = StopRequest::kCancel;
  EXPECT_EQ(decide_run(canceled, kNow).deadline, kNow + canceled.preemption_timeout);
}

TEST(RunDecision, DeletesPodsThatCannotHearASignalYet) {
  RunFacts facts = running();
  facts.is_ready = false;
  facts.suspend = true;
  expect_recorded_then_deleted(facts);
  facts.gang.alive = 0;
  const auto paused = decide_run(facts, kNow);
  EXPECT_EQ(paused.step, RunStep::kEndRun);
  EXPECT_EQ(paused.counts, Counts::kNothing);
}

// A notebook answers nobody while it ends, which looks like use to its idle reports; somebody may open it as well.
TEST(RunDecision, WhatEndsBecauseNobodyNeedsItStaysEndedWhoeverAsksMeanwhile) {
  RunFacts facts = running();
  facts.hears_signals = false;
  facts.not_needed = "idle for more than 15s";
  expect_recorded_then_deleted(facts);
  facts.not_needed.clear();
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kDeletePods);
  facts.gang.alive = 0;
  const RunDecision over = decide_run(facts, kNow);
  EXPECT_EQ(over.step, RunStep::kFinish);
  EXPECT_EQ(over.final_state, TrialState::kCompleted);
  EXPECT_EQ(over.reason, "idle for more than 15s");
  facts.stop = StopRequest::kKill;
  EXPECT_EQ(decide_run(facts, kNow).final_state, TrialState::kCanceled);
}

TEST(RunDecision, AMoveToAnotherPoolIsAPauseThatEndsAtOnce) {
  RunFacts facts = running();
  facts.moves = "moved to the resource pool big";
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kRequestPreemption);
  RunFacts left = ended(ExitClass::kSuccess);
  left.moves = facts.moves;
  left.preempt_requested_at = kNow;
  left.preempt_acked = true;
  RunDecision over = decide_run(left, kNow);
  EXPECT_EQ(over.step, RunStep::kEndRun);
  EXPECT_EQ(over.reason, facts.moves);
  EXPECT_EQ(over.counts, Counts::kNothing);
  left.run_is_open = false;
  left.gang = {};
  left.moves.clear();  // its next run is in the other pool
  EXPECT_EQ(decide_run(left, kNow).step, RunStep::kStartRun);
}

TEST(RunDecision, AMoveEndsAtOnceWhatHasNotBegun) {
  RunFacts facts;
  facts.run_is_open = true;
  facts.gang.missing = 2;
  facts.moves = "moved to the resource pool big";
  const RunDecision queued = decide_run(facts, kNow);
  EXPECT_EQ(queued.step, RunStep::kEndRun) << "it waits without pods";
  EXPECT_EQ(queued.reason, facts.moves);
  EXPECT_EQ(queued.counts, Counts::kNothing);
  facts = running();
  facts.is_ready = false;
  facts.moves = "moved to the resource pool big";
  expect_recorded_then_deleted(facts);
  facts.gang.alive = 0;
  EXPECT_EQ(decide_run(facts, kNow).counts, Counts::kNothing);
}

TEST(RunDecision, WhatFailsWhileItMovesIsItsOwnFaultOrNobodys) {
  RunFacts facts = ended(ExitClass::kInfrastructure, "Evicted");
  facts.moves = "moved to the resource pool big";
  EXPECT_EQ(decide_run(facts, kNow).counts, Counts::kNothing) << "it was leaving";
  facts = ended(ExitClass::kUserError, "exit code 3");
  facts.moves = "moved to the resource pool big";
  facts.max_restarts = 1;
  EXPECT_EQ(decide_run(facts, kNow).counts, Counts::kRestart);
  facts.stop = StopRequest::kKill;
  EXPECT_EQ(decide_run(facts, kNow).final_state, TrialState::kCanceled) << "who ends it is not overheard";
}

TEST(RunDecision, AnAcknowledgedSignalIsAPauseOnlyIfOneWasSent) {
  RunFacts facts = ended(ExitClass::kSuccess);
  facts.preempt_acked = true;
  EXPECT_EQ(decide_run(facts, kNow).final_state, TrialState::kCompleted);
  facts.preempt_requested_at = kNow;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kEndRun);
}

TEST(RunDecision, KillRemovesPodsThenCancels) {
  RunFacts facts = running();
  facts.stop = StopRequest::kKill;
  expect_recorded_then_deleted(facts);
  facts.gang.alive = 0;
  const auto over = decide_run(facts, kNow);
  EXPECT_EQ(over.step, RunStep::kFinish);
  EXPECT_EQ(over.final_state, TrialState::kCanceled);
}

TEST(RunDecision, APauseThatIsTakenBackWhileItsPodsGoIsNoFailureOfTheInfrastructure) {
  RunFacts facts = running();
  facts.is_ready = false;
  facts.suspend = true;
  expect_recorded_then_deleted(facts);
  facts.suspend = false;
  facts.gang.alive = 0;
  const auto end = decide_run(facts, kNow);
  EXPECT_EQ(end.step, RunStep::kEndRun);
  EXPECT_EQ(end.counts, Counts::kNothing);
  EXPECT_EQ(end.reason, "paused");
}

TEST(RunDecision, SaysWhetherATrialThatIsKilledEverRan) {
  RunFacts facts;
  facts.stop = StopRequest::kKill;
  EXPECT_EQ(decide_run(facts, kNow).reason, "canceled before it ran");
  facts.run = 8;
  EXPECT_EQ(decide_run(facts, kNow).reason, "canceled");
}

TEST(RunDecision, CancelLetsTheTrialCheckpoint) {
  RunFacts facts = running();
  facts.stop = StopRequest::kCancel;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kRequestPreemption);
}

TEST(RunDecision, AStopOfTheSearcherLetsTheTrialCheckpointAndCompletesIt) {
  RunFacts facts = running();
  facts.state = TrialState::kStoppingCompleted;
  facts.stopped_by_searcher = true;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kRequestPreemption);
  facts.preempt_requested_at = kNow;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kWait);
  expect_recorded_then_deleted(facts, kNow + facts.preemption_timeout);
  for (const ExitClass kind : {ExitClass::kSuccess, ExitClass::kUserError, ExitClass::kInfrastructure}) {
    RunFacts over = ended(kind);
    over.stopped_by_searcher = true;
    over.preempt_acked = true;
    EXPECT_EQ(decide_run(over, kNow).step, RunStep::kFinish);
    EXPECT_EQ(decide_run(over, kNow).final_state, TrialState::kCompleted);
  }
  facts.run_is_open = false;
  facts.gang.alive = 0;
  EXPECT_EQ(decide_run(facts, kNow).final_state, TrialState::kCompleted);
}

}  // namespace
}  // namespace det::op
