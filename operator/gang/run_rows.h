#pragma once

// The rows that the steps of a run write, whatever it is a run of. Pure.

#include <string>
#include <vector>

#include "operator/gang/run_decision.h"
#include "store/trials/allocation_store.h"
#include "store/trials/trial_rows.h"

namespace det::op {

// Which pods a run has.
struct RunShape {
  std::string allocation_id;
  std::string base_name;  // of its pods (pods/names.h)
  int run = 0;
  int pods = 1;
  int slots_per_pod = 0;
};

// The rows for all ranks: what was there, with what the pods show now.
[[nodiscard]] std::vector<store::ResourceRow> resource_rows(const RunShape& shape, const std::vector<PodFacts>& pods);
// How a run ends by this decision.
[[nodiscard]] store::TrialExit exit_of(int run, const RunDecision& decision, const GangState& gang);

}  // namespace det::op
