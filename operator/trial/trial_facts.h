#pragma once

// What decisions about a trial rest on, from rows and objects, and the rows that its steps write. Pure.

#include <optional>
#include <string>

#include "model/expconf/experiment_config.h"
#include "operator/gang/run_decision.h"
#include "store/trials/allocation_store.h"
#include "store/trials/trial_rows.h"

namespace det::op {

// Pods of the trial's gang: as its object says, else as the cluster's slots per pod say.
[[nodiscard]] int pods_of(const ObservedTrial& trial, const model::MasterConfig& master);

// Without the gang, which the caller observes.
[[nodiscard]] RunFacts trial_facts(const ObservedTrial& object, const ObservedExperiment* owner,
                                   const store::TrialRow& row, const std::optional<store::AllocationRow>& allocation,
                                   const model::ExperimentConfig& config);

// The end of a trial that has lost its object, or whose experiment has.
[[nodiscard]] store::TrialEnd abandoned(const store::TrialRow& trial, std::string why);

// First port of the block of a trial's allocations where pods share one network; 0 where each pod has its own.
[[nodiscard]] int port_block(const model::MasterConfig& master, model::TrialId trial);

}  // namespace det::op
