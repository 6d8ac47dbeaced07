#pragma once

// How the slots of one trial are spread over pods. Pure.

#include <cstdint>

#include "base/result.h"

namespace det::model {

struct GangShape {
  int pods = 1;
  int slots_per_pod = 0;

  bool operator==(const GangShape&) const = default;
};

// `slots` of a request on a cluster whose pods hold up to `max_per_pod`: up to that many fit one pod, a multiple
// becomes that many full pods, everything else is kInvalidArgument with the sizes next to it that work. `single_pod`:
// only one pod will do.
[[nodiscard]] Result<GangShape> gang_shape(std::int64_t slots, int max_per_pod, bool single_pod = false);

}  // namespace det::model
