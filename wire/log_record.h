#pragma once

// One log line as clients get it: the line itself and the composed message that the CLI prints. Written as text at
// once, because logs are streamed by the hundred thousand lines. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/wall_time.h"
#include "model/ids.h"
#include "wire/enums.h"
#include "wire/forms.h"

namespace det::wire {

// Borrows its texts.
struct LogRecord {
  std::int64_t id = 0;
  WallTime time;
  TaskLogLevel level = TaskLogLevel::kUnspecified;
  std::string_view log;  // ends with a newline
  std::string_view allocation_id;
  std::string_view agent_id;
  std::string_view container_id;
  std::optional<int> rank;
  std::string_view source;
  std::string_view stdtype;
};

// "[2025-03-01T12:00:00.123456Z] a1b2c3d4 [rank=0] || INFO: hello\n".
[[nodiscard]] std::string composed_message(const LogRecord& record);
// Append one message of a stream, {"result": v1TrialLogsResponse or v1TaskLogsResponse} and a newline.
void append_trial_log(std::string& out, const LogRecord& record, model::TrialId trial);
void append_task_log(std::string& out, const LogRecord& record, std::string_view task_id);

// {"result": message} and a newline: one message of a stream.
[[nodiscard]] std::string frame(const Json& message);

}  // namespace det::wire
