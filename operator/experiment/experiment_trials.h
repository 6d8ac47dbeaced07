#pragma once

// The Trial objects of an experiment: made, stopped, and taken away when they are over. Level-triggered; may be killed
// after any instruction. Belongs to the io thread.

#include <cstdint>
#include <vector>

#include "base/log.h"
#include "operator/services.h"
#include "operator/trial/trial_object.h"
#include "operator/trial/trial_retirement.h"

namespace det::op {

class ExperimentTrials {
 public:
  // Whether all trials that should have an object have one by now.
  enum class Made : std::uint8_t { kAll, kSome };

  explicit ExperimentTrials(OperatorServices& services) : services_(services) {}

  // Trials that should have an object and have none get one; several at once, and of thousands only the first, so that
  // what the object asks meanwhile is seen. Those of an experiment that is being ended, and those that were killed, are
  // ended instead. `object` and `row` outlive it, as below.
  Task<Result<Made>> ensure(const ObservedExperiment& object, const store::ExperimentRow& row,
                            std::vector<store::TrialRow> trials, Logger log);
  // Deletes the objects of trials that ended, but for the last ones.
  Task<Status> retire(const ObservedExperiment& object);
  // The search is done with these.
  Task<Status> stop(ObservedExperiment object, std::vector<model::TrialId> trials, Logger log);
  // All of them are looked at again.
  void wake(const ObservedExperiment& object);

 private:
  // nullptr: our copy has none.
  [[nodiscard]] const KeptTrial* find_object(const ObservedExperiment& object, const store::TrialRow& trial) const;
  // Of `trials`, whose rows name no object, those that have none.
  Task<Status> end_unmade(const ObservedExperiment& object, std::vector<store::TrialRow> trials);
  Task<Status> end_one(store::TrialRow trial);
  Task<Status> make(const ObservedExperiment& object, TrialShape shape, store::TrialRow trial, Logger log);
  Task<Status> retire_one(FinishedTrial trial);

  OperatorServices& services_;
};

}  // namespace det::op
