#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace det {

// The bytes as a gzip file (RFC 1952), the same for the same bytes: no time of day is in it. For what is kept; pure,
// but slow for large input.
[[nodiscard]] Result<std::string> gzip(std::string_view bytes);

}  // namespace det
