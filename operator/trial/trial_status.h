#pragma once

// The status of a Trial object, from what is known of the trial. Pure.

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "operator/gang/run_decision.h"
#include "operator/views.h"
#include "store/trials/trial_rows.h"

namespace det::op {

[[nodiscard]] nlohmann::json trial_status(const ObservedTrial& object, const store::TrialRow& row,
                                          const RunFacts& facts, const RunDecision& decision, WallTime now);

}  // namespace det::op
