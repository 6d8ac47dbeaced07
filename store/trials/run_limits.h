#pragma once

// How much an experiment may run at a time, and which of its trials that leaves out. Pure.

#include <optional>
#include <string>
#include <vector>

#include "model/ids.h"

namespace det::store {

struct RunLimits {
  std::optional<int> max_slots;
  std::optional<int> max_trials;

  [[nodiscard]] bool any() const { return max_slots || max_trials; }
};

// A run that has not ended.
struct OpenRun {
  model::TrialId trial;
  int slots = 0;
};

// Why `trial`, which needs `slots`, has to wait for others of its experiment, or, when it runs, has to make room;
// empty: it may run. `open`: the experiment's open runs, the oldest first; the youngest make room.
[[nodiscard]] std::string over_limit(const RunLimits& limits, const std::vector<OpenRun>& open, model::TrialId trial,
                                     int slots);

}  // namespace det::store
