#pragma once

#include <string>

namespace det::cli {

// A check for CLI11, of options whose absence means more than a name would: a shell's unset variable must not.
[[nodiscard]] inline std::string not_empty(const std::string& value) {
  return value.empty() ? "cannot be empty" : "";
}

}  // namespace det::cli
