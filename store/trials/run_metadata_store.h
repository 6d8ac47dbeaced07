#pragma once

// What programs say of their own runs, for people. Belongs to the io thread; Pool outlives it.

#include <nlohmann/json.hpp>

#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

class RunMetadataStore {
 public:
  explicit RunMetadataStore(pg::Pool& pool) : pool_(pool) {}

  // An empty object when nothing was said, also of an unknown trial.
  Task<Result<nlohmann::json>> find(model::TrialId trial);
  // Replaces what was said. kNotFound when there is no such trial.
  Task<Status> set(model::TrialId trial, nlohmann::json metadata);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
