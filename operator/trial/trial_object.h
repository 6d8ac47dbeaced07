#pragma once

// The Trial object of a trial's row. Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "operator/views.h"
#include "store/trials/trial_rows.h"

namespace det::op {

// How many slots and pods each trial of an experiment has.
struct TrialShape {
  std::int64_t slots = 0;
  int pods = 1;
};

[[nodiscard]] nlohmann::json build_trial(const ObservedExperiment& owner, const std::string& controller_class,
                                         const store::TrialRow& trial, TrialShape shape);

}  // namespace det::op
