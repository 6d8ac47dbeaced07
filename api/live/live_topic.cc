#include "api/live/live_topic.h"

#include <array>
#include <utility>

#include "base/parse_integer.h"

namespace det::api {

namespace {

constexpr std::size_t kLongestTaskId = 100;

constexpr auto kLists = std::to_array<std::pair<std::string_view, LiveKind>>({
    {"experiments", LiveKind::kExperiments},
    {"tasks", LiveKind::kTasks},
    {"queue", LiveKind::kQueue},
    {"models", LiveKind::kModels},
    {"workspaces", LiveKind::kWorkspaces},
});
constexpr std::string_view kExperimentOf = "experiment:";
constexpr std::string_view kTrialOf = "trial:";
constexpr std::string_view kLogsOf = "logs:";

bool read_number(std::string_view text, std::int64_t& number) {
  number = parse_integer(text).value_or(0);
  return number > 0;
}

}  // namespace

Result<WantedTopic> read_topic(std::string_view text) {
  WantedTopic topic{.text = std::string(text)};
  for (const auto& [name, kind] : kLists) {
    if (text != name) continue;
    topic.kind = kind;
    return topic;
  }
  if (text.starts_with(kExperimentOf) && read_number(text.substr(kExperimentOf.size()), topic.number)) {
    topic.kind = LiveKind::kExperiment;
    return topic;
  }
  if (text.starts_with(kTrialOf) && read_number(text.substr(kTrialOf.size()), topic.number)) {
    topic.kind = LiveKind::kTrial;
    return topic;
  }
  if (text.starts_with(kLogsOf) && text.size() > kLogsOf.size() && text.size() <= kLogsOf.size() + kLongestTaskId) {
    topic.kind = LiveKind::kLogs;
    topic.task_id = text.substr(kLogsOf.size());
    return topic;
  }
  return fail(
      ErrorCode::kInvalidArgument,
      "watch: '" + std::string(text) +
          "' is no topic: experiments, tasks, queue, models, workspaces, experiment:ID, trial:ID or logs:TASK_ID",
      "watch");
}

}  // namespace det::api
