#pragma once

// Which Kubernetes Events have expired: they are for people who look now, and nothing else removes them.

#include <chrono>
#include <cstddef>
#include <vector>

#include "base/wall_time.h"
#include "local/kubeapi/object_store.h"

namespace det::local::kubeapi {

// As long as kube-apiserver keeps them by default.
inline constexpr std::chrono::hours kEventsLive{1};
// One takes some 7 kB of memory, and a search of many short trials makes a hundred a second.
inline constexpr std::size_t kMostEvents = 5000;

// Of `events`, all that there are: those that happened last before `limit`, and the ones written longest ago of what is
// more than `most`.
[[nodiscard]] std::vector<Place> expired_events(std::vector<ObjectRef> events, WallTime limit, std::size_t most);

}  // namespace det::local::kubeapi
