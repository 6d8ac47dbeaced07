#pragma once

// Log lines as they are kept: one compressed chunk per post. The format is ours: a version byte, the count, a
// dictionary of sources, varints per line, then all texts, zstd level 1. Pure; any thread.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace det::store {

// In the wire's order (LOG_LEVEL_UNSPECIFIED is 0).
enum class LineLevel : std::uint8_t { kUnspecified, kTrace, kDebug, kInfo, kWarning, kError, kCritical };
enum class StdType : std::uint8_t { kNone, kStdout, kStderr };

struct LogLine {
  WallTime time;
  LineLevel level = LineLevel::kUnspecified;
  StdType stdtype = StdType::kNone;
  std::optional<int> rank;
  std::string allocation_id;
  std::string container_id;
  std::string agent_id;
  std::string source;
  std::string text;  // ends with a newline

  bool operator==(const LogLine&) const = default;
};

// A line of a chunk that is being read; its texts live as long as the call that shows it.
struct LineView {
  WallTime time;
  LineLevel level = LineLevel::kUnspecified;
  StdType stdtype = StdType::kNone;
  std::optional<int> rank;
  std::string_view allocation_id;
  std::string_view container_id;
  std::string_view agent_id;
  std::string_view source;
  std::string_view text;
};
[[nodiscard]] LogLine to_line(const LineView& view);

[[nodiscard]] std::string encode_chunk(const std::vector<LogLine>& lines);
// kDataLoss when the bytes are not a chunk.
[[nodiscard]] Result<std::vector<LogLine>> decode_chunk(std::string_view body);
// Shows each line with its place in the chunk. An error may come after some lines were shown.
Status visit_chunk(std::string_view body, const std::function<void(std::size_t place, const LineView& line)>& visit);

// Bits for the levels that occur: bit n is level n. A filter whose bits do not meet them skips the chunk unread.
[[nodiscard]] std::int32_t level_mask(const std::vector<LogLine>& lines);

}  // namespace det::store
