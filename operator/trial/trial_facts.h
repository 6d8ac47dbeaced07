#pragma once

// What decisions about a trial rest on, from rows and objects, and the rows that its steps write. Pure.

#include <optional>
#include <string>

#include "model/expconf/experiment_config.h"
#include "operator/gang/run_decision.h"
#include "store/experiments/experiment_rows.h"
#include "store/trials/allocation_store.h"
#include "store/trials/trial_rows.h"

namespace det::op {

// Pods of the trial's gang: as the slots per pod of the pool say that its experiment was moved to (empty: it was not),
// else as its object says, else as the cluster's slots per pod say.
[[nodiscard]] int pods_of(const ObservedTrial& trial, const model::MasterConfig& master, const std::string& moved_to);

// Why an open run has to end: it is in another pool than that which its experiment was moved to. Empty: it may stay.
[[nodiscard]] std::string leaves_pool(const std::optional<store::AllocationRow>& allocation,
                                      const store::ExperimentRow& experiment, const std::string& moved_to);

// Somebody killed it when it had no object that could be told (kill_trial_of of api/).
[[nodiscard]] bool was_killed(const store::TrialRow& row);

// Without the gang, which the caller observes.
[[nodiscard]] RunFacts trial_facts(const ObservedTrial& object, const ObservedExperiment* owner,
                                   const store::TrialRow& row, const std::optional<store::AllocationRow>& allocation,
                                   const model::ExperimentConfig& config);

// The end of a trial that has lost its object, or whose experiment has.
[[nodiscard]] store::TrialEnd abandoned(const store::TrialRow& trial, std::string why);

}  // namespace det::op
