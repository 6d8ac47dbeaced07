#pragma once

// Name, description and labels of a live Experiment, which follow its object. REST changes the row alone, and what it
// changed stays until somebody edits the object again. Belongs to the io thread.

#include <cstdint>
#include <optional>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "operator/views.h"
#include "store/experiments/experiment_rows.h"

namespace det::op {

class NameEdits {
 public:
  // What the object says otherwise than at the last look, or, at the first one, than what was accepted; put into `row`,
  // too. An object that does not name a field leaves it as it is.
  [[nodiscard]] store::ExperimentPatch of(const ObservedExperiment& object, const nlohmann::json& accepted,
                                          store::ExperimentRow& row) const;
  // The row is as the object says.
  void note(const ObservedExperiment& object, model::ExperimentId id);
  void forget(model::ExperimentId id) { seen_.erase(id.value); }

 private:
  std::unordered_map<std::int64_t, nlohmann::json> seen_;  // the fields, by experiment
};

}  // namespace det::op
