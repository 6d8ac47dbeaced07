#pragma once

// Log lines as they are kept: a compressed chunk per post, several of a long one. The format is ours: a version byte,
// the count, a dictionary of sources, varints per line, then all texts, zstd level 1. Pure; any thread.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
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
// Bytes that a line takes where lines are held in memory.
[[nodiscard]] std::size_t held_bytes(const LogLine& line);

[[nodiscard]] std::string encode_chunk(std::span<const LogLine> lines);
// kDataLoss when the bytes are not a chunk.
[[nodiscard]] Result<std::vector<LogLine>> decode_chunk(std::string_view body);
// Shows each line with its place in the chunk. An error may come after some lines were shown.
Status visit_chunk(std::string_view body, const std::function<void(std::size_t place, const LineView& line)>& visit);

// Bits for the levels that occur: bit n is level n. A filter whose bits do not meet them skips the chunk unread.
[[nodiscard]] std::int32_t level_mask(std::span<const LogLine> lines);

// A chunk with what its row says of it.
struct EncodedChunk {
  std::int32_t lines = 0;
  WallTime first;  // smallest and largest time
  WallTime last;
  std::int32_t levels = 0;
  std::int64_t held = 0;  // sum of held_bytes
  std::string body;

  bool operator==(const EncodedChunk&) const = default;
};
// Of new ones, by held_bytes; the last line may go beyond it.
inline constexpr std::size_t kChunkHolds = std::size_t{1} << 20;
// The lines as chunks that each hold no more than that: who reads a log unpacks whole chunks.
[[nodiscard]] std::vector<EncodedChunk> encode_chunks(std::span<const LogLine> lines);

}  // namespace det::store
