#pragma once

// A coroutine function on many items, some of them at a time. Belongs to the io thread.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/race.h"
#include "base/result.h"

namespace det {
namespace internal {
// Takes one after another off `left` until none is there or one failed.
template <typename Item, typename Do>
Task<void> work_off(std::vector<Item>& left, Status& status, const Do& act) {
  while (status && !left.empty()) {
    Item item = std::move(left.back());
    left.pop_back();
    Status done = co_await act(std::move(item));
    if (!done && status) status = std::move(done);
  }
}
}  // namespace internal

// `act`, a callable Task<Status>(Item), on all `items`, at most `at_once` of them at a time, begun in their order. The
// first error; nothing new is begun after it, and what was begun has ended.
template <typename Item, typename Do>
Task<Status> for_each_at_once(std::vector<Item> items, std::size_t at_once, Do act) {
  std::ranges::reverse(items);
  Status status;
  std::vector<Task<void>> workers;
  const std::size_t count = std::min(at_once, items.size());
  for (std::size_t i = 0; i < count; ++i) workers.push_back(internal::work_off(items, status, act));
  co_await all_of(std::move(workers));
  co_return status;
}

}  // namespace det
