#pragma once

// The configurations of experiments as people wrote them, which every reconcile compares with the object: read once.
// Belongs to the io thread.

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "base/bounded_map.h"
#include "model/ids.h"
#include "store/experiments/experiment_rows.h"

namespace det::op {

class AcceptedConfigs {
 public:
  using Accepted = std::shared_ptr<const nlohmann::json>;

  // What the experiment was accepted with, or is continued with: JSON from kubectl, YAML from REST. A JSON null where
  // it cannot be read; never a null pointer.
  [[nodiscard]] Accepted of(const store::ExperimentRow& experiment);

 private:
  struct Read {
    std::string text;
    Accepted config;
  };
  BoundedMap<model::ExperimentId, Read> read_{64};
};

}  // namespace det::op
