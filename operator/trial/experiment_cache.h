#pragma once

// What trials need to know of their experiments: hundreds of trials ask for the same one. Belongs to the io thread.

#include <memory>
#include <string>

#include "base/bounded_map.h"
#include "base/result.h"
#include "base/task.h"
#include "model/expconf/experiment_config.h"
#include "model/ids.h"
#include "operator/services.h"
#include "operator/views.h"
#include "store/experiments/experiment_rows.h"

namespace det::op {

class ExperimentCache {
 public:
  struct FrozenExperiment {
    store::NamedExperiment stored;
    model::ExperimentConfig config;  // of the stored row, typed
  };
  // Never null.
  using Frozen = std::shared_ptr<const FrozenExperiment>;

  explicit ExperimentCache(OperatorServices& services) : services_(services) {}

  // The frozen configuration and the names, which cannot change as long as the object, whose uid that is, is the same;
  // the rest of the row may be old. kNotFound when there is no such row, kDataLoss when its configuration is none.
  Task<Result<Frozen>> frozen(model::ExperimentId id, std::string uid);
  // The Experiment that owns the trial; null when our copy has none.
  [[nodiscard]] std::shared_ptr<const ObservedExperiment> owner_of(const ObservedTrial& trial);

 private:
  OperatorServices& services_;
  BoundedMap<model::ExperimentId, Frozen> frozen_{256};
  std::shared_ptr<const ObservedExperiment> last_owner_;  // its trials mostly come one after another
};

}  // namespace det::op
