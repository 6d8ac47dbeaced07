#pragma once

// The states of tasks that people start one by one (notebooks, shells, commands, TensorBoards), as the database spells
// them. What clients are shown of a task that runs is the state of its allocation.

#include <cstdint>
#include <optional>
#include <string_view>

namespace det::model {

enum class TaskState : std::uint8_t { kActive, kPaused, kCompleted, kCanceled, kError };

[[nodiscard]] constexpr std::string_view to_string(TaskState state) {
  switch (state) {
    case TaskState::kActive:
      return "ACTIVE";
    case TaskState::kPaused:
      return "PAUSED";
    case TaskState::kCompleted:
      return "COMPLETED";
    case TaskState::kCanceled:
      return "CANCELED";
    case TaskState::kError:
      return "ERROR";
  }
  return "";
}

// nullopt for a word that is none of the states.
[[nodiscard]] constexpr std::optional<TaskState> parse_task_state(std::string_view word) {
  for (const TaskState state :
       {TaskState::kActive, TaskState::kPaused, TaskState::kCompleted, TaskState::kCanceled, TaskState::kError}) {
    if (to_string(state) == word) return state;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr bool is_terminal(TaskState state) {
  return state != TaskState::kActive && state != TaskState::kPaused;
}

}  // namespace det::model
