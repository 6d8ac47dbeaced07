#include "operator/trial/trial_decision.h"

#include <gtest/gtest.h>

namespace det::op {
namespace {

using model::TrialState;

const WallTime kNow = *parse_rfc3339("2026-11-21T12:00:00Z");

TrialFacts running() {
  TrialFacts facts;
  facts.run_is_open = true;
  facts.is_ready = true;
  facts.gang.alive = 1;
  facts.gang.reached = model::AllocationState::kRunning;
  return facts;
}

TrialFacts ended(ExitClass kind, const std::string& reason = "x") {
  TrialFacts facts = running();
  facts.gang.alive = 0;
  facts.gang.exit =
      RunExit{.kind = kind, .code = kind == ExitClass::kSuccess ? 0 : 1, .reason = reason, .message = reason};
  return facts;
}

// Why the run ends is written first, then its pods are deleted.
void expect_recorded_then_deleted(TrialFacts& facts, WallTime now = kNow) {
  const TrialDecision decision = decide_trial(facts, now);
  ASSERT_EQ(decision.step, TrialStep::kRecordVerdict);
  facts.gang.exit = decision.verdict;
  facts.has_verdict = true;
  EXPECT_EQ(decide_trial(facts, now).step, TrialStep::kDeletePods);
}

TEST(TrialDecision, StartsARunForANewTrial) {
  EXPECT_EQ(decide_trial(TrialFacts{}, kNow).step, TrialStep::kStartRun);
}

TEST(TrialDecision, RestsWhileTheExperimentIsSuspended) {
  TrialFacts facts;
  facts.suspend = true;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kRest);
}

TEST(TrialDecision, CreatesThePodsThatAreMissing) {
  TrialFacts facts;
  facts.run_is_open = true;
  facts.gang.missing = 2;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kCreatePods);
}

TEST(TrialDecision, CompletesWhenTheProgramExitsZero) {
  const auto decision = decide_trial(ended(ExitClass::kSuccess), kNow);
  EXPECT_EQ(decision.step, TrialStep::kFinish);
  EXPECT_EQ(decision.final_state, TrialState::kCompleted);
}

TEST(TrialDecision, EndsInErrorWhenTheProgramFails) {
  const auto decision = decide_trial(ended(ExitClass::kUserError, "exit code 3"), kNow);
  EXPECT_EQ(decision.step, TrialStep::kFinish);
  EXPECT_EQ(decision.final_state, TrialState::kError);
  EXPECT_EQ(decision.reason, "exit code 3");
}

TEST(TrialDecision, RunsAFailedProgramAgainAsOftenAsAllowed) {
  TrialFacts facts = ended(ExitClass::kUserError, "exit code 3");
  facts.max_restarts = 2;
  for (facts.restarts = 0; facts.restarts < 2; ++facts.restarts) {
    const auto again = decide_trial(facts, kNow);
    EXPECT_EQ(again.step, TrialStep::kEndRun);
    EXPECT_EQ(again.counts, Counts::kRestart);
  }
  const auto over = decide_trial(facts, kNow);
  EXPECT_EQ(over.step, TrialStep::kFinish);
  EXPECT_EQ(over.final_state, TrialState::kError);
  EXPECT_EQ(over.reason, "exit code 3; trial exceeded max restarts (max_restarts: 2)");
}

TEST(TrialDecision, InvalidHyperparametersEndTheTrialHoweverItsProgramEnds) {
  for (const auto kind : {ExitClass::kSuccess, ExitClass::kUserError, ExitClass::kInfrastructure}) {
    TrialFacts facts = ended(kind);
    facts.max_restarts = 5;
    facts.has_invalid_hp = true;
    facts.preempt_requested_at = kNow;
    facts.preempt_acked = true;
    const auto over = decide_trial(facts, kNow);
    EXPECT_EQ(over.step, TrialStep::kFinish);
    EXPECT_EQ(over.final_state, TrialState::kCompleted) << "it is replaced, and did not fail";
    facts.stop = StopRequest::kKill;
    EXPECT_EQ(decide_trial(facts, kNow).final_state, TrialState::kCanceled);
  }
}

TEST(TrialDecision, AProgramThatGoesOnWithInvalidHyperparametersIsAskedToLeave) {
  TrialFacts facts = running();
  facts.has_invalid_hp = true;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kRequestPreemption);
  facts.run_is_open = false;
  facts.gang = {};
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kFinish) << "an operator was killed before it could say so";
}

TEST(TrialDecision, DoesNotRetryWhatALogPolicyCalledHopeless) {
  TrialFacts facts = ended(ExitClass::kUserError, "exit code 3");
  facts.max_restarts = 5;
  facts.no_retry = "(log '\"boom\"' matched regex boom) therefore will not retry on failure";
  const auto decision = decide_trial(facts, kNow);
  EXPECT_EQ(decision.step, TrialStep::kFinish);
  EXPECT_EQ(decision.final_state, TrialState::kError);
  EXPECT_NE(decision.reason.find("trial failed and not retrying due to logs matching a don't retry policy"),
            std::string::npos);
  EXPECT_NE(decision.reason.find("exit code 3"), std::string::npos);
  facts.gang.exit->kind = ExitClass::kSuccess;
  EXPECT_EQ(decide_trial(facts, kNow).final_state, TrialState::kCompleted) << "only failures are not retried";
  facts.gang.exit->kind = ExitClass::kInfrastructure;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kEndRun) << "a lost node says nothing about the program";
}

TEST(TrialDecision, AFailureOfTheInfrastructureEndsTheRunAndNeverTheTrial) {
  TrialFacts facts = ended(ExitClass::kInfrastructure, "Evicted");
  facts.infra.count = 1000;
  const auto again = decide_trial(facts, kNow);
  EXPECT_EQ(again.step, TrialStep::kEndRun);
  EXPECT_EQ(again.counts, Counts::kInfraRestart);
}

TEST(TrialDecision, ThePodNobodyCanRunEndsTheTrial) {
  TrialFacts facts = ended(ExitClass::kInvalidPod, "InvalidImageName");
  facts.max_restarts = 5;
  facts.gang.alive = 1;
  facts.gang.exit->never_ran = true;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kFinish);
  EXPECT_EQ(decide_trial(facts, kNow).final_state, TrialState::kError);
}

TEST(TrialDecision, WhatNeverRanIsWrittenDownBeforeItsPodsGo) {
  TrialFacts facts = ended(ExitClass::kInfrastructure, "ImagePullBackOff");
  facts.gang.alive = 1;
  facts.gang.exit->never_ran = true;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kEndRun);
  facts.run_is_open = false;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kDeletePods);
}

TEST(TrialDecision, TheNextRunBacksOff) {
  EXPECT_EQ(infra_back_off(1).count(), 0);
  EXPECT_EQ(infra_back_off(2).count(), 2);
  EXPECT_EQ(infra_back_off(3).count(), 4);
  EXPECT_EQ(infra_back_off(9).count(), 256);
  EXPECT_EQ(infra_back_off(1000), kMaxBackOff);
  TrialFacts facts;
  facts.infra = {.count = 3,
                 .first = kNow - std::chrono::minutes(5),
                 .last = kNow - std::chrono::seconds(1),
                 .last_reason = "Evicted"};
  const auto rest = decide_trial(facts, kNow);
  EXPECT_EQ(rest.step, TrialStep::kRest);
  EXPECT_EQ(rest.deadline, kNow + std::chrono::seconds(3));
  EXPECT_FALSE(rest.is_stalled);
  EXPECT_EQ(decide_trial(facts, kNow + std::chrono::seconds(3)).step, TrialStep::kStartRun);
}

TEST(TrialDecision, TooManyFailuresOfTheInfrastructureStallTheTrialUntilTheFirstIsLongAgo) {
  TrialFacts facts;
  facts.infra = {.count = kMaxInfraRestarts,
                 .first = kNow - std::chrono::minutes(50),
                 .last = kNow - std::chrono::minutes(20),
                 .last_reason = "Evicted"};
  const auto rest = decide_trial(facts, kNow);
  EXPECT_EQ(rest.step, TrialStep::kRest);
  EXPECT_TRUE(rest.is_stalled);
  EXPECT_EQ(rest.deadline, kNow + std::chrono::minutes(10));
  EXPECT_NE(rest.reason.find("Evicted"), std::string::npos);
  EXPECT_EQ(decide_trial(facts, kNow + std::chrono::minutes(10)).step, TrialStep::kStartRun);
}

TEST(TrialDecision, WaitsAndMakesRoomForTheExperimentsLimits) {
  TrialFacts facts;
  facts.no_room = "resources.max_slots is 1";
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kRest);
  EXPECT_EQ(decide_trial(facts, kNow).reason, facts.no_room);
  facts = running();
  facts.no_room = "resources.max_slots is 1";
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kRequestPreemption);
  facts.is_ready = false;
  expect_recorded_then_deleted(facts);
  facts.gang.alive = 0;
  const auto end = decide_trial(facts, kNow);
  EXPECT_EQ(end.step, TrialStep::kEndRun);
  EXPECT_EQ(end.counts, Counts::kNothing);
}

TEST(TrialDecision, NoticesAGangWhosePodsDoNotFindEachOther) {
  TrialFacts facts = running();
  facts.is_ready = false;
  facts.gang.all_running_since = kNow - std::chrono::minutes(9);
  EXPECT_FALSE(decide_trial(facts, kNow).is_rendezvous_slow);
  EXPECT_EQ(decide_trial(facts, kNow).deadline, kNow + std::chrono::minutes(1));
  EXPECT_TRUE(decide_trial(facts, kNow + std::chrono::minutes(1)).is_rendezvous_slow);
  facts.is_ready = true;
  EXPECT_FALSE(decide_trial(facts, kNow + std::chrono::minutes(1)).is_rendezvous_slow);
}

TEST(TrialDecision, RemovesTheRestOfAGangBeforeItEndsTheRun) {
  TrialFacts facts = ended(ExitClass::kUserError);
  facts.gang.alive = 1;
  expect_recorded_then_deleted(facts);
}

TEST(TrialDecision, PausesByASignalWhenTheHarnessCanHearIt) {
  TrialFacts facts = running();
  facts.suspend = true;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kRequestPreemption);
  facts.preempt_requested_at = kNow - std::chrono::seconds(10);
  const auto waiting = decide_trial(facts, kNow);
  EXPECT_EQ(waiting.step, TrialStep::kWait);
  EXPECT_EQ(waiting.deadline, kNow - std::chrono::seconds(10) + facts.preemption_timeout);
}

TEST(TrialDecision, DeletesPodsThatDidNotLeaveInTime) {
  TrialFacts facts = running();
  facts.suspend = true;
  facts.preemption_timeout = std::chrono::seconds(5);
  facts.preempt_requested_at = kNow - std::chrono::seconds(10);
  expect_recorded_then_deleted(facts);
}

TEST(TrialDecision, DeletesPodsThatCannotHearASignalYet) {
  TrialFacts facts = running();
  facts.is_ready = false;
  facts.suspend = true;
  expect_recorded_then_deleted(facts);
  facts.gang.alive = 0;
  const auto paused = decide_trial(facts, kNow);
  EXPECT_EQ(paused.step, TrialStep::kEndRun);
  EXPECT_EQ(paused.counts, Counts::kNothing);
}

TEST(TrialDecision, AnAcknowledgedSignalIsAPauseOnlyIfOneWasSent) {
  TrialFacts facts = ended(ExitClass::kSuccess);
  facts.preempt_acked = true;
  EXPECT_EQ(decide_trial(facts, kNow).final_state, TrialState::kCompleted);
  facts.preempt_requested_at = kNow;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kEndRun);
}

TEST(TrialDecision, KillRemovesPodsThenCancels) {
  TrialFacts facts = running();
  facts.stop = StopRequest::kKill;
  expect_recorded_then_deleted(facts);
  facts.gang.alive = 0;
  const auto over = decide_trial(facts, kNow);
  EXPECT_EQ(over.step, TrialStep::kFinish);
  EXPECT_EQ(over.final_state, TrialState::kCanceled);
}

TEST(TrialDecision, APauseThatIsTakenBackWhileItsPodsGoIsNoFailureOfTheInfrastructure) {
  TrialFacts facts = running();
  facts.is_ready = false;
  facts.suspend = true;
  expect_recorded_then_deleted(facts);
  facts.suspend = false;
  facts.gang.alive = 0;
  const auto end = decide_trial(facts, kNow);
  EXPECT_EQ(end.step, TrialStep::kEndRun);
  EXPECT_EQ(end.counts, Counts::kNothing);
  EXPECT_EQ(end.reason, "paused");
}

TEST(TrialDecision, SaysWhetherATrialThatIsKilledEverRan) {
  TrialFacts facts;
  facts.stop = StopRequest::kKill;
  EXPECT_EQ(decide_trial(facts, kNow).reason, "canceled before it ran");
  facts.run = 8;
  EXPECT_EQ(decide_trial(facts, kNow).reason, "canceled");
}

TEST(TrialDecision, CancelLetsTheTrialCheckpoint) {
  TrialFacts facts = running();
  facts.stop = StopRequest::kCancel;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kRequestPreemption);
}

TEST(TrialDecision, AStopOfTheSearcherLetsTheTrialCheckpointAndCompletesIt) {
  TrialFacts facts = running();
  facts.state = TrialState::kStoppingCompleted;
  facts.stopped_by_searcher = true;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kRequestPreemption);
  facts.preempt_requested_at = kNow;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kWait);
  expect_recorded_then_deleted(facts, kNow + facts.preemption_timeout);
  for (const ExitClass kind : {ExitClass::kSuccess, ExitClass::kUserError, ExitClass::kInfrastructure}) {
    TrialFacts over = ended(kind);
    over.stopped_by_searcher = true;
    over.preempt_acked = true;
    EXPECT_EQ(decide_trial(over, kNow).step, TrialStep::kFinish);
    EXPECT_EQ(decide_trial(over, kNow).final_state, TrialState::kCompleted);
  }
  facts.run_is_open = false;
  facts.gang.alive = 0;
  EXPECT_EQ(decide_trial(facts, kNow).final_state, TrialState::kCompleted);
}

TEST(TrialDecision, ClosesARunThatAKilledOperatorLeftOpen) {
  TrialFacts facts = ended(ExitClass::kSuccess);
  facts.state = TrialState::kCompleted;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kEndRun);
  facts.run_is_open = false;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kRest);
}

// Whatever the facts are, a decision leads somewhere: no step asks for what is already so.
TEST(TrialDecision, NeverAsksForWhatIsAlreadySo) {
  int seen = 0;
  for (int bits = 0; bits < 1 << 8; ++bits) {
    TrialFacts facts;
    facts.run_is_open = bits & 1;
    facts.is_ready = bits & 2;
    facts.suspend = bits & 4;
    facts.stop = bits & 8 ? StopRequest::kKill : bits & 16 ? StopRequest::kCancel : StopRequest::kNone;
    facts.gang.alive = bits & 32 ? 1 : 0;
    facts.state = bits & 64 ? TrialState::kCompleted : TrialState::kActive;
    if (bits & 128) facts.preempt_requested_at = kNow;
    const auto decision = decide_trial(facts, kNow);
    if (decision.step == TrialStep::kDeletePods) EXPECT_GT(facts.gang.alive, 0) << bits;
    if (decision.step == TrialStep::kEndRun) EXPECT_TRUE(facts.run_is_open) << bits;
    if (decision.step == TrialStep::kStartRun)
      EXPECT_FALSE(facts.run_is_open || model::is_terminal(facts.state)) << bits;
    if (decision.step == TrialStep::kFinish) EXPECT_FALSE(model::is_terminal(facts.state)) << bits;
    if (decision.step == TrialStep::kRequestPreemption) EXPECT_FALSE(facts.preempt_requested_at) << bits;
    ++seen;
  }
  EXPECT_EQ(seen, 256);
}

// Harnesses of before 0.38 acknowledge when they are out of work, without a signal.
TrialFacts out_of_work() {
  TrialFacts facts = ended(ExitClass::kSuccess);
  facts.asks_for_work = true;
  facts.has_worked = true;
  facts.preempt_acked = true;
  return facts;
}

TEST(TrialDecision, ATrialThatHasDoneAllItsWorkIsComplete) {
  TrialFacts facts = out_of_work();
  facts.work_is_over = true;
  facts.preempt_requested_at = kNow;  // a pause that came too late
  const auto decision = decide_trial(facts, kNow);
  EXPECT_EQ(decision.step, TrialStep::kFinish);
  EXPECT_EQ(decision.final_state, TrialState::kCompleted);
}

TEST(TrialDecision, ATrialBetweenRungsGivesItsSlotsBackAndRests) {
  TrialFacts facts = out_of_work();
  facts.awaits_work = true;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kEndRun);
  facts = TrialFacts{};
  facts.awaits_work = true;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kRest);
  facts.awaits_work = false;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kStartRun) << "called back";
  facts.work_is_over = true;
  facts.last_run_was_good = true;
  EXPECT_EQ(decide_trial(facts, kNow).final_state, TrialState::kCompleted) << "closed without another run";
}

TEST(TrialDecision, ATrialThatWasCalledBackOnItsWayOutRunsAgain) {
  EXPECT_EQ(decide_trial(out_of_work(), kNow).step, TrialStep::kEndRun);
}

TEST(TrialDecision, AnAcknowledgementWithoutASignalOrWorkIsTheEnd) {
  TrialFacts facts = out_of_work();
  facts.has_worked = false;
  EXPECT_EQ(decide_trial(facts, kNow).final_state, TrialState::kCompleted);
}

TEST(TrialDecision, ATrialThatDoesNotAskIsToldThatItsRungDecidesLater) {
  TrialFacts facts = running();
  facts.awaits_work = true;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kRequestPreemption);
  facts.asks_for_work = true;
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kWait) << "one that asks leaves by itself";
}

TEST(TrialDecision, AFailureAfterTheLastWorkIsRunAgain) {
  TrialFacts facts = ended(ExitClass::kUserError);
  facts.asks_for_work = facts.has_worked = facts.work_is_over = true;
  facts.max_restarts = 1;
  EXPECT_EQ(decide_trial(facts, kNow).counts, Counts::kRestart);
  facts.run_is_open = false;
  facts.gang = {};
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kStartRun);
}

TEST(TrialDecision, WithdrawsAGangThatIsNotBoundInTimeWithoutCountingIt) {
  TrialFacts facts;
  facts.run_is_open = true;
  facts.gang.alive = 2;
  facts.gang.reached = model::AllocationState::kPending;
  facts.gang.waiting_message = "pod x waits: 0/2 nodes are available";
  facts.bind_deadline = kNow + std::chrono::seconds(1);
  EXPECT_EQ(decide_trial(facts, kNow).step, TrialStep::kWait);
  EXPECT_EQ(decide_trial(facts, kNow).deadline, facts.bind_deadline);
  const auto decision = decide_trial(facts, kNow + std::chrono::seconds(2));
  EXPECT_EQ(decision.step, TrialStep::kEndRun);
  EXPECT_TRUE(decision.withdraws);
  EXPECT_EQ(decision.counts, Counts::kNothing);
  EXPECT_NE(decision.reason.find("0/2 nodes are available"), std::string::npos);
  facts.gang.reached = model::AllocationState::kStarting;
  EXPECT_EQ(decide_trial(facts, kNow + std::chrono::seconds(2)).step, TrialStep::kWait) << "bound, only slow";
}

}  // namespace
}  // namespace det::op
