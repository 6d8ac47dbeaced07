#pragma once

// The searches of experiments that are remembered; the log gives each back. What runs is asked for at every turn, and
// would have its whole log read each time if there were no place for it; what is paused is asked for now and then, and
// there may be ten thousand of it, at some 40 KiB each. So each has room of its own. Not thread safe.

#include <cstddef>
#include <utility>

#include "base/bounded_map.h"
#include "model/ids.h"

namespace det::op {

template <typename Search>
class KnownSearches {
 public:
  explicit KnownSearches(std::size_t most_running = 4'096, std::size_t most_resting = 512)
      : running_(most_running), resting_(most_resting) {}

  // Null when it is not known. `rests`: whether its experiment is paused now. Good until the next call.
  [[nodiscard]] Search* find(model::ExperimentId experiment, bool rests) {
    Map& here = rests ? resting_ : running_;
    Map& there = rests ? running_ : resting_;
    if (Search* moved = there.find(experiment)) {
      here.put(experiment, std::move(*moved));
      there.erase(experiment);
    }
    return here.find(experiment);
  }

  void put(model::ExperimentId experiment, bool rests, Search search) {
    erase(experiment);
    (rests ? resting_ : running_).put(experiment, std::move(search));
  }

  void erase(model::ExperimentId experiment) {
    running_.erase(experiment);
    resting_.erase(experiment);
  }

 private:
  using Map = BoundedMap<model::ExperimentId, Search>;

  Map running_;
  Map resting_;
};

}  // namespace det::op
