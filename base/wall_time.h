#pragma once

// Points in time as people and databases have them, and their texts. Pure: no clock, no Asio.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace det {

using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;

// RFC 3339 in UTC with six fraction digits and Z: "2026-11-21T02:00:00.000000Z". Kubernetes' MicroTime needs all six.
[[nodiscard]] std::string format_rfc3339_micros(WallTime time);
// The same with whole seconds, Kubernetes' Time: "2026-11-21T02:00:00Z".
[[nodiscard]] std::string format_rfc3339_seconds(WallTime time);
// Accepts "Z" or a numeric offset, 0 to 9 fraction digits (cut to micros), 'T' or a space. std::nullopt when it is not
// a time.
[[nodiscard]] std::optional<WallTime> parse_rfc3339(std::string_view text);

}  // namespace det
