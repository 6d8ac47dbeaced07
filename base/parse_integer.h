#pragma once

// Numbers in paths, queries and notifications. Pure; any thread.

#include <cstdint>
#include <optional>
#include <string_view>

namespace det {

// The whole text as a decimal number, "-7"; nothing for anything else around it, for no text, and for what is too
// large.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

}  // namespace det
