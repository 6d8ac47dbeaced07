#include "store/cluster/queue_place.h"

#include <chrono>

namespace det::store {

std::int64_t place_of_submission(WallTime submitted) {
  return std::chrono::floor<std::chrono::microseconds>(submitted.time_since_epoch()).count() * 1024;
}

Room make_room(const std::vector<std::int64_t>& places, std::size_t at) {
  if (at == places.size()) return {.place = places.back() + 1, .moved_on = {}};
  if (at == 0) return {.place = places.front() - 1, .moved_on = {}};
  const std::int64_t gap = places[at] - places[at - 1];
  if (gap >= 2) return {.place = places[at - 1] + gap / 2, .moved_on = {}};
  // Those before it go on by one, as far as they stand close: whatever comes later is submitted later, so room is that
  // way.
  Room room{.place = places[at] - 1, .moved_on = {}};
  std::int64_t next = room.place;
  for (std::size_t i = at; i-- > 0 && places[i] >= next;) {
    next -= 1;
    room.moved_on[i] = next;
  }
  return room;
}

}  // namespace det::store
