#pragma once

// Enum texts of the REST protocol. Clients die of a word they do not know, so only those of determined 0.38.1 are
// written. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/states.h"

namespace det::wire {

// An active experiment shows how far its pods are: QUEUED, PULLING, STARTING, RUNNING. `pods` is the furthest of its
// running allocations, nothing when there is none.
[[nodiscard]] std::string experiment_state(model::ExperimentState state,
                                           const std::optional<model::AllocationState>& pods);
[[nodiscard]] std::string trial_state(model::TrialState state, const std::optional<model::AllocationState>& pods);
[[nodiscard]] std::string checkpoint_state(model::CheckpointState state);
// Of a task or allocation (taskv1State).
[[nodiscard]] std::string task_state(model::AllocationState state);

// Filters of lists take the same words, with or without STATE_. QUEUED, PULLING, STARTING and RUNNING are all ACTIVE.
[[nodiscard]] std::optional<model::ExperimentState> parse_experiment_state(std::string_view word);
[[nodiscard]] std::optional<model::TrialState> parse_trial_state(std::string_view word);
[[nodiscard]] std::optional<model::CheckpointState> parse_checkpoint_state(std::string_view word);

enum class TaskLogLevel : std::uint8_t { kUnspecified, kTrace, kDebug, kInfo, kWarning, kError, kCritical };
// "LOG_LEVEL_INFO".
[[nodiscard]] std::string to_string(TaskLogLevel level);
// "INFO"; empty for kUnspecified.
[[nodiscard]] std::string_view short_name(TaskLogLevel level);
// "LOG_LEVEL_INFO", "INFO", any case; a number as text too.
[[nodiscard]] std::optional<TaskLogLevel> parse_log_level(std::string_view word);

}  // namespace det::wire
