#pragma once

// Putting sentences for people together. Pure.

#include <string>
#include <utility>

namespace det::op {

// "text: detail", or the text alone where there is no detail.
[[nodiscard]] inline std::string with_detail(std::string text, const std::string& detail) {
  if (detail.empty()) return text;
  return std::move(text) + ": " + detail;
}

}  // namespace det::op
