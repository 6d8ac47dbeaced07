#pragma once

// The latest lines of this process' own log, for administrators who ask for them by REST. Any thread may call.

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"

namespace det {

struct RecentLine {
  std::int64_t number = 0;  // from 1
  WallTime at;
  LogLevel level = LogLevel::kInfo;
  std::string text;
};

// How many are kept.
inline constexpr std::size_t kRecentLines = 2'000;

void keep_recent_line(LogLevel level, std::string_view text);
// Those after number `after`, the oldest first, at most `most`.
[[nodiscard]] std::vector<RecentLine> recent_lines(std::int64_t after, std::size_t most);
// The number of the latest one.
[[nodiscard]] std::int64_t latest_line();

}  // namespace det
