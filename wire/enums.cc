#include "wire/enums.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace det::wire {

namespace {

constexpr std::array<std::string_view, 7> kLevels = {"UNSPECIFIED", "TRACE", "DEBUG",   "INFO",
                                                     "WARNING",     "ERROR", "CRITICAL"};

std::string_view progress_of(const std::optional<model::AllocationState>& pods) {
  if (!pods) return "QUEUED";
  switch (*pods) {
    case model::AllocationState::kPending:
    case model::AllocationState::kAssigned:
    case model::AllocationState::kTerminated:
      return "QUEUED";
    case model::AllocationState::kPulling:
      return "PULLING";
    case model::AllocationState::kStarting:
      return "STARTING";
    case model::AllocationState::kRunning:
    case model::AllocationState::kWaiting:
    case model::AllocationState::kTerminating:
      return "RUNNING";
  }
  return "QUEUED";
}

std::string_view without_prefix(std::string_view word, std::string_view prefix) {
  return word.starts_with(prefix) ? word.substr(prefix.size()) : word;
}

bool is_progress(std::string_view word) {
  return word == "QUEUED" || word == "PULLING" || word == "STARTING" || word == "RUNNING";
}

std::string with_prefix(std::string_view word) {
  return "STATE_" + std::string(word);
}

}  // namespace

std::string experiment_state(model::ExperimentState state, const std::optional<model::AllocationState>& pods) {
  return with_prefix(state == model::ExperimentState::kActive ? progress_of(pods) : model::to_string(state));
}

std::string trial_state(model::TrialState state, const std::optional<model::AllocationState>& pods) {
  return with_prefix(state == model::TrialState::kActive ? progress_of(pods) : model::to_string(state));
}

std::string checkpoint_state(model::CheckpointState state) {
  return with_prefix(model::to_string(state));
}

std::string task_state(model::AllocationState state) {
  switch (state) {
    case model::AllocationState::kPending:
    case model::AllocationState::kAssigned:
      return "STATE_QUEUED";
    case model::AllocationState::kPulling:
    case model::AllocationState::kStarting:
    case model::AllocationState::kRunning:
    case model::AllocationState::kWaiting:
    case model::AllocationState::kTerminating:
    case model::AllocationState::kTerminated:
      return with_prefix(model::to_string(state));
  }
  return "STATE_UNSPECIFIED";
}

std::optional<model::ExperimentState> parse_experiment_state(std::string_view word) {
  word = without_prefix(word, "STATE_");
  return is_progress(word) ? model::ExperimentState::kActive : model::parse_experiment_state(word);
}

std::optional<model::TrialState> parse_trial_state(std::string_view word) {
  word = without_prefix(word, "STATE_");
  return is_progress(word) ? model::TrialState::kActive : model::parse_trial_state(word);
}

std::optional<model::CheckpointState> parse_checkpoint_state(std::string_view word) {
  return model::parse_checkpoint_state(without_prefix(word, "STATE_"));
}

std::string to_string(TaskLogLevel level) {
  return "LOG_LEVEL_" + std::string(kLevels[static_cast<std::size_t>(level)]);
}

std::string_view short_name(TaskLogLevel level) {
  return level == TaskLogLevel::kUnspecified ? std::string_view() : kLevels[static_cast<std::size_t>(level)];
}

std::optional<TaskLogLevel> parse_log_level(std::string_view word) {
  std::string upper(word);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string_view name = without_prefix(upper, "LOG_LEVEL_");
  if (name.size() == 1 && name[0] >= '0' && name[0] <= '6') return static_cast<TaskLogLevel>(name[0] - '0');
  const auto at = std::ranges::find(kLevels, name);
  if (at == kLevels.end()) return std::nullopt;
  return static_cast<TaskLogLevel>(at - kLevels.begin());
}

}  // namespace det::wire
