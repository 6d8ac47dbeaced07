#pragma once

// One log line as clients get it: the line itself and the composed message that the CLI prints. Pure.

#include <cstdint>
#include <optional>
#include <string>

#include "base/wall_time.h"
#include "model/ids.h"
#include "wire/enums.h"
#include "wire/forms.h"

namespace det::wire {

struct LogRecord {
  std::int64_t id = 0;
  WallTime time;
  LogLevel level = LogLevel::kUnspecified;
  std::string log;  // ends with a newline
  std::string allocation_id;
  std::string agent_id;
  std::string container_id;
  std::optional<int> rank;
  std::string source;
  std::string stdtype;
};

// "[2025-03-01T12:00:00.123456Z] a1b2c3d4 [rank=0] || INFO: hello\n".
[[nodiscard]] std::string composed_message(const LogRecord& record);
// v1TrialLogsResponse and v1TaskLogsResponse, without the stream's frame.
[[nodiscard]] Json trial_log(const LogRecord& record, model::TrialId trial);
[[nodiscard]] Json task_log(const LogRecord& record, const std::string& task_id);

// {"result": message} and a newline: one message of a stream.
[[nodiscard]] std::string frame(const Json& message);

}  // namespace det::wire
