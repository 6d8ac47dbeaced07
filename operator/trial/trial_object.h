#pragma once

// The Trial object of a trial's row, and small questions about rows. Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "operator/views.h"
#include "store/experiments/experiment_rows.h"
#include "store/trials/trial_rows.h"

namespace det::op {

// How many slots and pods each trial of an experiment has.
struct TrialShape {
  std::int64_t slots = 0;
  int pods = 1;
};

[[nodiscard]] nlohmann::json build_trial(const ObservedExperiment& owner, const std::string& controller_class,
                                         const store::TrialRow& trial, TrialShape shape);

// The configuration as the user gave it when it was accepted: JSON from kubectl, YAML from REST. Null when it cannot be
// read.
[[nodiscard]] nlohmann::json accepted_config(const store::ExperimentRow& experiment);

}  // namespace det::op
