#pragma once

// The states of experiments, trials, allocations and checkpoints, and the one table per object that says which change
// is legal (the same changes as Determined's). The words are those of the database and the REST protocol, without the
// latter's STATE_ prefix. Pure values.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "model/ids.h"

namespace det::model {

enum class ExperimentState : std::uint8_t {
  kActive,
  kPaused,
  kStoppingCompleted,
  kStoppingCanceled,
  kStoppingKilled,
  kStoppingError,
  kCompleted,
  kCanceled,
  kError,
  kDeleting,
  kDeleteFailed,
  kDeleted,
};

enum class TrialState : std::uint8_t {
  kActive,
  kPaused,
  kStoppingCompleted,
  kStoppingCanceled,
  kStoppingKilled,
  kStoppingError,
  kCompleted,
  kCanceled,
  kError,
};

// In order of progress: an allocation only moves forward, and may skip.
enum class AllocationState : std::uint8_t {
  kPending,
  kAssigned,
  kPulling,
  kStarting,
  kRunning,
  kWaiting,
  kTerminating,
  kTerminated,
};

// Of tasks that people start one by one: notebooks, shells, commands, TensorBoards. What clients are shown of one that
// runs is the state of its allocation.
enum class TaskState : std::uint8_t { kActive, kPaused, kCompleted, kCanceled, kError };

enum class CheckpointState : std::uint8_t { kActive, kCompleted, kError, kDeleted, kPartiallyDeleted };

// "STOPPING_COMPLETED".
[[nodiscard]] std::string_view to_string(ExperimentState state);
[[nodiscard]] std::string_view to_string(TrialState state);
[[nodiscard]] std::string_view to_string(AllocationState state);
[[nodiscard]] std::string_view to_string(TaskState state);
[[nodiscard]] std::string_view to_string(CheckpointState state);

// nullopt for a word that is none of the states.
[[nodiscard]] std::optional<ExperimentState> parse_experiment_state(std::string_view word);
[[nodiscard]] std::optional<TrialState> parse_trial_state(std::string_view word);
[[nodiscard]] std::optional<AllocationState> parse_allocation_state(std::string_view word);
[[nodiscard]] std::optional<TaskState> parse_task_state(std::string_view word);
[[nodiscard]] std::optional<CheckpointState> parse_checkpoint_state(std::string_view word);

// True when the change is legal. Staying in a state is not a change, so it is false.
[[nodiscard]] bool may_become(ExperimentState from, ExperimentState to);
[[nodiscard]] bool may_become(TrialState from, TrialState to);
[[nodiscard]] bool may_become(AllocationState from, AllocationState to);
[[nodiscard]] bool may_become(TaskState from, TaskState to);
[[nodiscard]] bool may_become(CheckpointState from, CheckpointState to);

// The same as an error for the person who asked: kFailedPrecondition `illegal transition A -> B for experiment 7`.
[[nodiscard]] Status check_transition(ExperimentId id, ExperimentState from, ExperimentState to);
[[nodiscard]] Status check_transition(TrialId id, TrialState from, TrialState to);

// Terminal: the search or the training is over for good (deletion of an experiment comes after that).
[[nodiscard]] bool is_terminal(ExperimentState state);
[[nodiscard]] bool is_terminal(TrialState state);
[[nodiscard]] bool is_terminal(TaskState state);
[[nodiscard]] bool is_stopping(ExperimentState state);
[[nodiscard]] bool is_stopping(TrialState state);

// The terminal state that a stopping state ends in. Only for states that are stopping.
[[nodiscard]] ExperimentState state_after_stopping(ExperimentState stopping);
[[nodiscard]] TrialState state_after_stopping(TrialState stopping);

}  // namespace det::model
