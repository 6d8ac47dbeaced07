#include "operator/trial/trial_facts.h"

#include <limits>

#include <gtest/gtest.h>

#include "operator/gang/run_decision.h"

namespace det::op {
namespace {

const WallTime kNow = *parse_rfc3339("2026-11-21T12:00:00Z");

RunFacts facts_of(const model::ExperimentConfig& config, const store::AllocationRow& run = {}) {
  return trial_facts(ObservedTrial(), nullptr, store::TrialRow(), run, config);
}

TEST(TrialFacts, HaveNoLessThanNoRestartsHoweverManyAreAllowed) {
  model::ExperimentConfig config;
  for (const std::int64_t most : {2'147'483'648, 4'294'967'295, 9'000'000'000'000'000'000}) {
    config.max_restarts = most;
    EXPECT_EQ(facts_of(config).max_restarts, std::numeric_limits<int>::max());
  }
  config.max_restarts = 5;
  EXPECT_EQ(facts_of(config).max_restarts, 5);
}

TEST(TrialFacts, AKillThatWasNotedWhereTheObjectWasMissingCounts) {
  const model::ExperimentConfig config;
  store::TrialRow row;
  row.early_exit = "EXITED_REASON_USER_CANCELED";
  EXPECT_EQ(trial_facts(ObservedTrial(), nullptr, row, std::nullopt, config).stop, StopRequest::kKill);
  row.early_exit = "EXITED_REASON_USER_REQUESTED_STOP";
  EXPECT_EQ(trial_facts(ObservedTrial(), nullptr, row, std::nullopt, config).stop, StopRequest::kNone);
}

TEST(TrialFacts, APreemptionTimeoutOfCenturiesIsLongAndNotOver) {
  model::ExperimentConfig config;
  store::AllocationRow run;
  run.ready_at = kNow;
  run.preempt_requested_at = kNow;
  for (const std::int64_t seconds : {9'999'999'999, 9'000'000'000'000'000'000}) {
    config.preemption_timeout = std::chrono::seconds(seconds);
    RunFacts facts = facts_of(config, run);
    facts.suspend = true;
    facts.gang.alive = 1;
    facts.gang.reached = model::AllocationState::kRunning;
    const RunDecision decision = decide_run(facts, kNow + std::chrono::hours(1));
    EXPECT_EQ(decision.step, RunStep::kWait);
    EXPECT_GT(decision.deadline, kNow + std::chrono::hours(24 * 365));
  }
}

TEST(TrialFacts, APreemptionTimeoutOfNothingIsOverAtOnce) {
  model::ExperimentConfig config;
  config.preemption_timeout = std::chrono::seconds(0);
  store::AllocationRow run;
  run.ready_at = kNow;
  run.preempt_requested_at = kNow;
  RunFacts facts = facts_of(config, run);
  facts.suspend = true;
  facts.gang.alive = 1;
  facts.gang.reached = model::AllocationState::kRunning;
  EXPECT_NE(decide_run(facts, kNow).step, RunStep::kWait);
}

}  // namespace
}  // namespace det::op
