#pragma once

// Places in the queue as numbers: jobs of one priority go in their order, smaller first. A job that nobody moved has
// the place of its submission. Pure.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/wall_time.h"

namespace det::store {

// Of a job that was submitted then: 1024ths of a microsecond since 1970, so that halving finds room between two.
[[nodiscard]] std::int64_t place_of_submission(WallTime submitted);

struct Room {
  std::int64_t place = 0;                        // of the job that comes
  std::map<std::size_t, std::int64_t> moved_on;  // new places of those that had to make room, by index
};

// Before the job of index `at` of `places` (ascending, not empty), or behind all of them for their number.
[[nodiscard]] Room make_room(const std::vector<std::int64_t>& places, std::size_t at);

}  // namespace det::store
