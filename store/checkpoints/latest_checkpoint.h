#pragma once

// Where a trial goes on from. Only for the .cc files of store/.

#include <string>

#include "store/removals/removal_plan.h"

namespace det::store {

// uuid and steps of the latest checkpoint of trial $1 whose files are not going. Index checkpoints_trial.
[[nodiscard]] inline std::string latest_of_trial() {
  return std::string("SELECT uuid, steps FROM checkpoints c WHERE trial_id = $1 AND state = 'COMPLETED' AND NOT ") +
         kIsBeingRemoved + " ORDER BY steps DESC, report_time DESC LIMIT 1";
}

}  // namespace det::store
