#pragma once

// The states that are not the end, as the stores' transitions want them. Pure.

#include <vector>

#include "model/states.h"

namespace det::op {

[[nodiscard]] inline std::vector<model::ExperimentState> live_experiment_states() {
  using enum model::ExperimentState;
  return {kActive, kPaused, kStoppingCompleted, kStoppingCanceled, kStoppingKilled, kStoppingError};
}

}  // namespace det::op
