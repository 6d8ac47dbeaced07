#include "operator/gang/run_decision.h"

#include <gtest/gtest.h>

#include "tests/operator/gang/run_facts.h"

namespace det::op {
namespace {

using model::TrialState;

TEST(RunDecision, StartsARunForANewTrial) {
  EXPECT_EQ(decide_run(RunFacts{}, kNow).step, RunStep::kStartRun);
}

TEST(RunDecision, RestsWhileTheExperimentIsSuspended) {
  RunFacts facts;
  facts.suspend = true;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kRest);
}

TEST(RunDecision, CreatesThePodsThatAreMissing) {
  RunFacts facts;
  facts.run_is_open = true;
  facts.gang.missing = 2;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kCreatePods);
}

TEST(RunDecision, CompletesWhenTheProgramExitsZero) {
  const auto decision = decide_run(ended(ExitClass::kSuccess), kNow);
  EXPECT_EQ(decision.step, RunStep::kFinish);
  EXPECT_EQ(decision.final_state, TrialState::kCompleted);
}

TEST(RunDecision, EndsInErrorWhenTheProgramFails) {
  const auto decision = decide_run(ended(ExitClass::kUserError, "exit code 3"), kNow);
  EXPECT_EQ(decision.step, RunStep::kFinish);
  EXPECT_EQ(decision.final_state, TrialState::kError);
  EXPECT_EQ(decision.reason, "exit code 3");
}

TEST(RunDecision, RunsAFailedProgramAgainAsOftenAsAllowed) {
  RunFacts facts = ended(ExitClass::kUserError, "exit code 3");
  facts.max_restarts = 2;
  for (facts.restarts = 0; facts.restarts < 2; ++facts.restarts) {
    const auto again = decide_run(facts, kNow);
    EXPECT_EQ(again.step, RunStep::kEndRun);
    EXPECT_EQ(again.counts, Counts::kRestart);
  }
  const auto over = decide_run(facts, kNow);
  EXPECT_EQ(over.step, RunStep::kFinish);
  EXPECT_EQ(over.final_state, TrialState::kError);
  EXPECT_EQ(over.reason, "exit code 3; trial exceeded max restarts (max_restarts: 2)");
}

TEST(RunDecision, InvalidHyperparametersEndTheTrialHoweverItsProgramEnds) {
  for (const auto kind : {ExitClass::kSuccess, ExitClass::kUserError, ExitClass::kInfrastructure}) {
    RunFacts facts = ended(kind);
    facts.max_restarts = 5;
    facts.has_invalid_hp = true;
    facts.preempt_requested_at = kNow;
    facts.preempt_acked = true;
    const auto over = decide_run(facts, kNow);
    EXPECT_EQ(over.step, RunStep::kFinish);
    EXPECT_EQ(over.final_state, TrialState::kCompleted) << "it is replaced, and did not fail";
    facts.stop = StopRequest::kKill;
    EXPECT_EQ(decide_run(facts, kNow).final_state, TrialState::kCanceled);
  }
}

TEST(RunDecision, AProgramThatGoesOnWithInvalidHyperparametersIsAskedToLeave) {
  RunFacts facts = running();
  facts.has_invalid_hp = true;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kRequestPreemption);
  facts.run_is_open = false;
  facts.gang = {};
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kFinish) << "an operator was killed before it could say so";
}

TEST(RunDecision, DoesNotRetryWhatALogPolicyCalledHopeless) {
  RunFacts facts = ended(ExitClass::kUserError, "exit code 3");
  facts.max_restarts = 5;
  facts.no_retry = "(log '\"boom\"' matched regex boom) therefore will not retry on failure";
  const auto decision = decide_run(facts, kNow);
  EXPECT_EQ(decision.step, RunStep::kFinish);
  EXPECT_EQ(decision.final_state, TrialState::kError);
  EXPECT_NE(decision.reason.find("trial failed and not retrying due to logs matching a don't retry policy"),
            std::string::npos);
  EXPECT_NE(decision.reason.find("exit code 3"), std::string::npos);
  facts.gang.exit->kind = ExitClass::kSuccess;
  EXPECT_EQ(decide_run(facts, kNow).final_state, TrialState::kCompleted) << "only failures are not retried";
  facts.gang.exit->kind = ExitClass::kInfrastructure;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kEndRun) << "a lost node says nothing about the program";
}

TEST(RunDecision, AFailureOfTheInfrastructureEndsTheRunAndNeverTheTrial) {
  RunFacts facts = ended(ExitClass::kInfrastructure, "Evicted");
  facts.infra.count = 1000;
  const auto again = decide_run(facts, kNow);
  EXPECT_EQ(again.step, RunStep::kEndRun);
  EXPECT_EQ(again.counts, Counts::kInfraRestart);
}

TEST(RunDecision, ThePodNobodyCanRunEndsTheTrial) {
  RunFacts facts = ended(ExitClass::kInvalidPod, "InvalidImageName");
  facts.max_restarts = 5;
  facts.gang.alive = 1;
  facts.gang.exit->never_ran = true;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kFinish);
  EXPECT_EQ(decide_run(facts, kNow).final_state, TrialState::kError);
}

TEST(RunDecision, WhatNeverRanIsWrittenDownBeforeItsPodsGo) {
  RunFacts facts = ended(ExitClass::kInfrastructure, "ImagePullBackOff");
  facts.gang.alive = 1;
  facts.gang.exit->never_ran = true;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kEndRun);
  facts.run_is_open = false;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kDeletePods);
}

TEST(RunDecision, TheNextRunBacksOff) {
  EXPECT_EQ(infra_back_off(1).count(), 0);
  EXPECT_EQ(infra_back_off(2).count(), 2);
  EXPECT_EQ(infra_back_off(3).count(), 4);
  EXPECT_EQ(infra_back_off(9).count(), 256);
  EXPECT_EQ(infra_back_off(1000), kMaxBackOff);
  RunFacts facts;
  facts.infra = {.count = 3,
                 .first = kNow - std::chrono::minutes(5),
                 .last = kNow - std::chrono::seconds(1),
                 .last_reason = "Evicted"};
  const auto rest = decide_run(facts, kNow);
  EXPECT_EQ(rest.step, RunStep::kRest);
  EXPECT_EQ(rest.deadline, kNow + std::chrono::seconds(3));
  EXPECT_FALSE(rest.is_stalled);
  EXPECT_EQ(decide_run(facts, kNow + std::chrono::seconds(3)).step, RunStep::kStartRun);
}

TEST(RunDecision, TooManyFailuresOfTheInfrastructureStallTheTrialUntilTheFirstIsLongAgo) {
  RunFacts facts;
  facts.infra = {.count = kMaxInfraRestarts,
                 .first = kNow - std::chrono::minutes(50),
                 .last = kNow - std::chrono::minutes(20),
                 .last_reason = "Evicted"};
  const auto rest = decide_run(facts, kNow);
  EXPECT_EQ(rest.step, RunStep::kRest);
  EXPECT_TRUE(rest.is_stalled);
  EXPECT_EQ(rest.deadline, kNow + std::chrono::minutes(10));
  EXPECT_NE(rest.reason.find("Evicted"), std::string::npos);
  EXPECT_EQ(decide_run(facts, kNow + std::chrono::minutes(10)).step, RunStep::kStartRun);
}

TEST(RunDecision, WaitsAndMakesRoomForTheExperimentsLimits) {
  RunFacts facts;
  facts.no_room = "resources.max_slots is 1";
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kRest);
  EXPECT_EQ(decide_run(facts, kNow).reason, facts.no_room);
  facts = running();
  facts.no_room = "resources.max_slots is 1";
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kRequestPreemption);
  facts.is_ready = false;
  expect_recorded_then_deleted(facts);
  facts.gang.alive = 0;
  const auto end = decide_run(facts, kNow);
  EXPECT_EQ(end.step, RunStep::kEndRun);
  EXPECT_EQ(end.counts, Counts::kNothing);
}

TEST(RunDecision, NoticesAGangWhosePodsDoNotFindEachOther) {
  RunFacts facts = running();
  facts.is_ready = false;
  facts.gang.all_running_since = kNow - std::chrono::minutes(9);
  EXPECT_FALSE(decide_run(facts, kNow).is_rendezvous_slow);
  EXPECT_EQ(decide_run(facts, kNow).deadline, kNow + std::chrono::minutes(1));
  EXPECT_TRUE(decide_run(facts, kNow + std::chrono::minutes(1)).is_rendezvous_slow);
  facts.is_ready = true;
  EXPECT_FALSE(decide_run(facts, kNow + std::chrono::minutes(1)).is_rendezvous_slow);
}

TEST(RunDecision, RemovesTheRestOfAGangBeforeItEndsTheRun) {
  RunFacts facts = ended(ExitClass::kUserError);
  facts.gang.alive = 1;
  expect_recorded_then_deleted(facts);
}

TEST(RunDecision, ClosesARunThatAKilledOperatorLeftOpen) {
  RunFacts facts = ended(ExitClass::kSuccess);
  facts.state = TrialState::kCompleted;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kEndRun);
  facts.run_is_open = false;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kRest);
}

// Whatever the facts are, a decision leads somewhere: no step asks for what is already so.
TEST(RunDecision, NeverAsksForWhatIsAlreadySo) {
  int seen = 0;
  for (int bits = 0; bits < 1 << 8; ++bits) {
    RunFacts facts;
    facts.run_is_open = bits & 1;
    facts.is_ready = bits & 2;
    facts.suspend = bits & 4;
    facts.stop = bits & 8 ? StopRequest::kKill : bits & 16 ? StopRequest::kCancel : StopRequest::kNone;
    facts.gang.alive = bits & 32 ? 1 : 0;
    facts.state = bits & 64 ? TrialState::kCompleted : TrialState::kActive;
    if (bits & 128) facts.preempt_requested_at = kNow;
    const auto decision = decide_run(facts, kNow);
    if (decision.step == RunStep::kDeletePods) EXPECT_GT(facts.gang.alive, 0) << bits;
    if (decision.step == RunStep::kEndRun) EXPECT_TRUE(facts.run_is_open) << bits;
    if (decision.step == RunStep::kStartRun) EXPECT_FALSE(facts.run_is_open || model::is_terminal(facts.state)) << bits;
    if (decision.step == RunStep::kFinish) EXPECT_FALSE(model::is_terminal(facts.state)) << bits;
    if (decision.step == RunStep::kRequestPreemption) EXPECT_FALSE(facts.preempt_requested_at) << bits;
    ++seen;
  }
  EXPECT_EQ(seen, 256);
}

// Harnesses of before 0.38 acknowledge when they are out of work, without a signal.
RunFacts out_of_work() {
  RunFacts facts = ended(ExitClass::kSuccess);
  facts.asks_for_work = true;
  facts.has_worked = true;
  facts.preempt_acked = true;
  return facts;
}

TEST(RunDecision, ATrialThatHasDoneAllItsWorkIsComplete) {
  RunFacts facts = out_of_work();
  facts.work_is_over = true;
  facts.preempt_requested_at = kNow;  // a pause that came too late
  const auto decision = decide_run(facts, kNow);
  EXPECT_EQ(decision.step, RunStep::kFinish);
  EXPECT_EQ(decision.final_state, TrialState::kCompleted);
}

TEST(RunDecision, ATrialBetweenRungsGivesItsSlotsBackAndRests) {
  RunFacts facts = out_of_work();
  facts.awaits_work = true;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kEndRun);
  facts = RunFacts{};
  facts.awaits_work = true;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kRest);
  facts.awaits_work = false;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kStartRun) << "called back";
  facts.work_is_over = true;
  facts.last_run_was_good = true;
  EXPECT_EQ(decide_run(facts, kNow).final_state, TrialState::kCompleted) << "closed without another run";
}

TEST(RunDecision, ATrialThatWasCalledBackOnItsWayOutRunsAgain) {
  EXPECT_EQ(decide_run(out_of_work(), kNow).step, RunStep::kEndRun);
}

TEST(RunDecision, AnAcknowledgementWithoutASignalOrWorkIsTheEnd) {
  RunFacts facts = out_of_work();
  facts.has_worked = false;
  EXPECT_EQ(decide_run(facts, kNow).final_state, TrialState::kCompleted);
}

TEST(RunDecision, ATrialThatDoesNotAskIsToldThatItsRungDecidesLater) {
  RunFacts facts = running();
  facts.awaits_work = true;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kRequestPreemption);
  facts.asks_for_work = true;
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kWait) << "one that asks leaves by itself";
}

TEST(RunDecision, AFailureAfterTheLastWorkIsRunAgain) {
  RunFacts facts = ended(ExitClass::kUserError);
  facts.asks_for_work = facts.has_worked = facts.work_is_over = true;
  facts.max_restarts = 1;
  EXPECT_EQ(decide_run(facts, kNow).counts, Counts::kRestart);
  facts.run_is_open = false;
  facts.gang = {};
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kStartRun);
}

TEST(RunDecision, WhatRunsOnceIsNotWithdrawnToRunAgain) {
  RunFacts facts;
  facts.run_is_open = facts.runs_once = true;
  facts.gang.alive = 2;
  facts.gang.reached = model::AllocationState::kPending;
  facts.gang.pods = {PodFacts{.rank = 0}, PodFacts{.rank = 1}};
  facts.bind_deadline = kNow;
  EXPECT_TRUE(decide_run(facts, kNow).withdraws) << "nothing of it has begun";
  facts.gang.pods.front().main_is_running = true;
  const auto decision = decide_run(facts, kNow);
  EXPECT_EQ(decision.step, RunStep::kFinish);
  EXPECT_EQ(decision.final_state, model::TrialState::kError);
  EXPECT_TRUE(decision.reason.ends_with("is not run a second time")) << decision.reason;
}

TEST(RunDecision, WithdrawsAGangThatIsNotBoundInTimeWithoutCountingIt) {
  RunFacts facts;
  facts.run_is_open = true;
  facts.gang.alive = 2;
  facts.gang.reached = model::AllocationState::kPending;
  facts.gang.waiting_message = "pod x waits: 0/2 nodes are available";
  facts.bind_deadline = kNow + std::chrono::seconds(1);
  EXPECT_EQ(decide_run(facts, kNow).step, RunStep::kWait);
  EXPECT_EQ(decide_run(facts, kNow).deadline, facts.bind_deadline);
  const auto decision = decide_run(facts, kNow + std::chrono::seconds(2));
  EXPECT_EQ(decision.step, RunStep::kEndRun);
  EXPECT_TRUE(decision.withdraws);
  EXPECT_EQ(decision.counts, Counts::kNothing);
  EXPECT_NE(decision.reason.find("0/2 nodes are available"), std::string::npos);
  facts.gang.reached = model::AllocationState::kStarting;
  EXPECT_EQ(decide_run(facts, kNow + std::chrono::seconds(2)).step, RunStep::kWait) << "bound, only slow";
}

}  // namespace
}  // namespace det::op
