#pragma once

// What the statuses of Trials and Tasks say of a run's pods. Pure.

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "operator/gang/gang_state.h"

namespace det::op {

// The reason of the condition Running of what does not run, where nothing is known of why.
inline constexpr const char* kNotRunning = "NotRunning";

// `pods` of a status: name, rank, phase, node, and why one does not run.
[[nodiscard]] nlohmann::json shown_pods(const GangState& gang);
// QUEUED, STARTING or RUNNING, as the REST API shows a run that is open.
[[nodiscard]] std::string_view shown_state_of_run(const GangState& gang);

}  // namespace det::op
