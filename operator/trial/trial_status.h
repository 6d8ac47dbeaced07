#pragma once

// The status of a Trial object, from what is known of the trial. Pure.

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "operator/trial/trial_decision.h"
#include "store/trials/trial_rows.h"

namespace det::op {

[[nodiscard]] nlohmann::json trial_status(const nlohmann::json& before, const store::TrialRow& row,
                                          const TrialFacts& facts, const TrialDecision& decision, WallTime now);

}  // namespace det::op
