#pragma once

#include <cstddef>
#include <string>

namespace det {

// "a, b and 4 more": of a range that may be long, the first `most`, each as `name_of` says it.
template <typename Range, typename NameOf>
[[nodiscard]] std::string few_names(const Range& all, std::size_t most, NameOf name_of) {
  std::string text;
  std::size_t count = 0;
  for (const auto& one : all) {
    if (++count <= most) text += (count == 1 ? "" : ", ") + name_of(one);
  }
  return count > most ? text + " and " + std::to_string(count - most) + " more" : text;
}

}  // namespace det
