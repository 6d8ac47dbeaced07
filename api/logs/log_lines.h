#pragma once

// Log lines from and to the wire: what shippers post, and what the query of a log request asks for. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/arguments.h"
#include "base/clock.h"
#include "base/result.h"
#include "store/logs/log_chunk.h"
#include "store/logs/log_store.h"
#include "wire/forms.h"

namespace det::api {

struct PostedLines {
  std::string task_id;
  std::vector<store::LogLine> lines;

  bool operator==(const PostedLines&) const = default;
};

// The texts of one posted line; empty ones were not given.
struct PostedFields {
  std::string_view log, timestamp, level, stdtype, allocation_id, container_id, agent_id, source;
  std::optional<std::int64_t> rank;
};
// Bytes of a line without its end. Shippers cut lines at 8,192 characters.
inline constexpr std::size_t kLongestLine = std::size_t{64} << 10;
// Adds the line, in pieces where it is longer than that, and nothing of it is lost. Names of more than 1 KiB are cut.
void add_line(const PostedFields& fields, WallTime now, std::vector<store::LogLine>& lines);

// {"logs":[...]} in snake_case or camelCase, read as by add_line. A line without a time gets `now`; one without a
// newline at its end gets one; what is wrong about its level, source and the like is left out. kInvalidArgument without
// lines, without a task_id, or with lines of several tasks.
[[nodiscard]] Result<PostedLines> read_posted_lines(const wire::Json& body, WallTime now);

// A body of log lines. Escaped surrogates without their other half, which are what Python makes of bytes that are no
// text, count as U+FFFD.
[[nodiscard]] Result<wire::Json> parse_log_body(std::string_view body);

struct LogRequest {
  store::LogQuery query;
  bool follow = false;
};
[[nodiscard]] Result<LogRequest> read_log_request(const http::Params& query, std::string task_id);

}  // namespace det::api
