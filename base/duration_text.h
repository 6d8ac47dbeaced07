#pragma once

// Durations as Go writes them, which is how configurations and messages of Determined have them: "30m", "1h30m0s".
// Pure.

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace det {

// Decimal numbers, each with a unit (ns, us, ms, s, m, h), and a sign before all of them; "0" needs no unit.
// kInvalidArgument with Go's text.
[[nodiscard]] Result<std::chrono::nanoseconds> parse_duration_text(std::string_view text);
// "1h30m0s", "5m0s", "30s", "0s".
[[nodiscard]] std::string duration_text(std::chrono::seconds duration);

}  // namespace det
