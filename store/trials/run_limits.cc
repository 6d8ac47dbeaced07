#include "store/trials/run_limits.h"

#include <cstdint>

namespace det::store {

std::string over_limit(const RunLimits& limits, const std::vector<OpenRun>& open, model::TrialId trial, int slots) {
  int held = 0;
  int running = 0;
  for (const OpenRun& run : open) {
    if (run.trial == trial) break;
    held += run.slots;
    ++running;
  }
  if (limits.max_trials && running >= *limits.max_trials) {
    return "searcher.max_concurrent_trials is " + std::to_string(*limits.max_trials) + ", and " +
           std::to_string(running) + " trials run";
  }
  if (limits.max_slots && std::int64_t{held} + slots > *limits.max_slots) {
    return "resources.max_slots is " + std::to_string(*limits.max_slots) + ": " + std::to_string(held) +
           " slots are in use, and this trial needs " + std::to_string(slots);
  }
  return {};
}

}  // namespace det::store
