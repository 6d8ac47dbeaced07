#pragma once

// The status of a Task object: a summary, made anew each time from the row and the pods. Pure.

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "operator/gang/run_decision.h"
#include "operator/task/task_round.h"

namespace det::op {

[[nodiscard]] nlohmann::json task_status(const TaskRound& round, const RunDecision& decision, WallTime now);

}  // namespace det::op
