#pragma once

// Name, description and labels of a live Experiment, which follow its object. REST changes the row alone, and what it
// changed stays until somebody edits the object again. Belongs to the io thread.

#include <string>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "operator/views.h"
#include "store/experiments/experiment_rows.h"

namespace det::op {

class NameEdits {
 public:
  // What the object says otherwise than at the last look; at the first one, unless its status says that this was looked
  // at, than what was accepted. Put into `row`, too. An object that does not name a field leaves it as it is.
  [[nodiscard]] store::ExperimentPatch of(const ObservedExperiment& object, const nlohmann::json& accepted,
                                          store::ExperimentRow& row) const;
  // The row is as the object says.
  void note(const ObservedExperiment& object);
  // By key of the object.
  void forget(const std::string& key) { seen_.erase(key); }

 private:
  struct Seen {
    std::string uid;
    nlohmann::json fields;
  };

  std::unordered_map<std::string, Seen> seen_;  // by key of the object
};

}  // namespace det::op
