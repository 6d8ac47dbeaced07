#pragma once

// Paths that stay inside the folder which they are relative to. Pure.

#include <algorithm>
#include <string_view>

namespace det {

// Whether `path` is relative, not empty, and none of its parts is "..".
[[nodiscard]] inline bool is_inner_path(std::string_view path) {
  if (path.empty() || path.front() == '/') return false;
  std::size_t at = 0;
  while (at <= path.size()) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return false;
    at = end + 1;
  }
  return true;
}

}  // namespace det
