#pragma once

// Single values in PostgreSQL's binary format. Pure; any thread.

#include <cstdint>
#include <string>

#include "base/clock.h"

namespace det::pg {

[[nodiscard]] std::string int4_value(std::int32_t value);
[[nodiscard]] std::string int8_value(std::int64_t value);
[[nodiscard]] std::string time_value(WallTime value);  // timestamptz

}  // namespace det::pg
