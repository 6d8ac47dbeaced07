#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace det {

// Of the letters of ASCII; others stay. Hosts, header names, words of a format.
[[nodiscard]] inline std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace det
