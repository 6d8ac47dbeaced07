#pragma once

// What a page can watch. A topic says that something changed, never what: whoever watches asks for it anew. Pure.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace det::api {

enum class LiveKind : std::uint8_t {
  kExperiments,  // the list of them
  kTasks,        // of those that people start one by one
  kQueue,
  kModels,
  kWorkspaces,  // and projects
  kExperiment,  // one of them: its trials, metrics and search with it
  kTrial,
  kLogs,  // of one task
};

struct LiveTopic {
  LiveKind kind = LiveKind::kExperiments;
  std::int64_t number = 0;  // of an experiment, a trial or a task's row; 0 for the lists

  auto operator<=>(const LiveTopic&) const = default;
};

// In place of a number: all of the kind.
inline constexpr std::int64_t kEveryNumber = -1;

// "experiments", "experiment:7", "logs:TASK_ID", as a request names it.
struct WantedTopic {
  std::string text;
  LiveKind kind = LiveKind::kExperiments;
  std::int64_t number = 0;  // of an experiment or a trial
  std::string task_id;      // of kLogs

  bool operator==(const WantedTopic&) const = default;
};

// kInvalidArgument says which topics there are.
[[nodiscard]] Result<WantedTopic> read_topic(std::string_view text);

}  // namespace det::api
