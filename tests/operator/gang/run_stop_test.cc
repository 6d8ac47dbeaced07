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

TEST(RunDecision, DeletesPodsThatDidNotLeaveInTime) {
  RunFacts facts = running();
  facts.suspend = true;
  facts.preemption_timeout = std::chrono::seconds(5);
  facts.preempt_requested_at = kNow - std::chrono::seconds(10);
  expect_recorded_then_deleted(facts);
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
