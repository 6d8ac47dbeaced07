#pragma once

// One page of a list, and the order it is in. Plain values.

#include <cstdint>
#include <vector>

namespace det::store {

struct Page {
  std::int64_t offset = 0;  // negative: counted from the end
  std::int64_t limit = 0;   // 0: all
};

enum class Order : std::uint8_t { kAscending, kDescending };

// `total` counts all that match; `offset` is where this page really starts.
template <typename T>
struct Paged {
  std::vector<T> items;
  std::int64_t offset = 0;
  std::int64_t total = 0;
};

}  // namespace det::store
