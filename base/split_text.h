#pragma once

#include <string_view>
#include <vector>

namespace det {

// The parts of `text`, which may be empty, and at least one: "a,,b" -> "a", "", "b". They point into it.
[[nodiscard]] inline std::vector<std::string_view> split_text(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace det
