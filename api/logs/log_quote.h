#pragma once

// A line of a log as people and webhooks are told of it. Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace det::api {

// Without the end of the line.
[[nodiscard]] std::string_view without_end(std::string_view text);
// At most `most` bytes; without NUL characters, which no column holds.
[[nodiscard]] std::string quote_line(std::string_view text, std::size_t most);

}  // namespace det::api
