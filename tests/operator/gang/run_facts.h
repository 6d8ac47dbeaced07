#pragma once

// Facts of runs, for the tests of operator/gang/run_decision.h.

#include <string>

#include <gtest/gtest.h>

#include "operator/gang/run_decision.h"

namespace det::op {

inline const WallTime kNow = *parse_rfc3339("2026-11-21T12:00:00Z");

inline RunFacts running() {
  RunFacts facts;
  facts.run_is_open = true;
  facts.is_ready = true;
  facts.gang.alive = 1;
  facts.gang.reached = model::AllocationState::kRunning;
  return facts;
}

inline RunFacts ended(ExitClass kind, const std::string& reason = "x") {
  RunFacts facts = running();
  facts.gang.alive = 0;
  facts.gang.exit =
      RunExit{.kind = kind, .code = kind == ExitClass::kSuccess ? 0 : 1, .reason = reason, .message = reason};
  return facts;
}

// Why the run ends is written first, then its pods are deleted.
inline void expect_recorded_then_deleted(RunFacts& facts, WallTime now = kNow) {
  const RunDecision decision = decide_run(facts, now);
  ASSERT_EQ(decision.step, RunStep::kRecordVerdict);
  facts.gang.exit = decision.verdict;
  facts.has_verdict = true;
  EXPECT_EQ(decide_run(facts, now).step, RunStep::kDeletePods);
}

}  // namespace det::op
