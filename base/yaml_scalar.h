#pragma once

// How a plain (unquoted) YAML 1.1 scalar becomes a JSON value. A detail of base/yaml.cc, apart for its tests. Pure.

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace det {

// Null, booleans, integers (decimal, 0x, 0o, 0b, leading-zero octal, underscores) and floats as Go's yaml.v2 resolves
// them, everything else a string. kInvalidArgument for NaN and infinities.
[[nodiscard]] Result<nlohmann::json> resolve_plain_scalar(std::string_view text);

}  // namespace det
