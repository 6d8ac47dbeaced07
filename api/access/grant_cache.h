#pragma once

// What users may by their roles, as it was read a moment ago: each request asks. Forgotten as soon as anybody's roles
// or groups change, on every replica (kAccessChannel). While the database is away, what was known is believed as long
// as tokens are, unless somebody's roles changed since: what was taken away must not come back by a lost database.
// Belongs to the io thread; clock and store outlive it.

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/bounded_map.h"
#include "base/clock.h"
#include "model/access/grants.h"
#include "store/access/role_assignment_store.h"

namespace det::api {

class GrantCache {
 public:
  GrantCache(Clock& clock, store::RoleAssignmentStore& store) : clock_(clock), store_(store) {}

  Task<Result<std::shared_ptr<const model::Grants>>> of(model::UserId user);
  void forget_all();

 private:
  struct Known {
    std::shared_ptr<const model::Grants> grants;
    SteadyTime read_at;
    std::int64_t epoch = 0;  // of forget_all: what was read before it is never good again
  };

  Clock& clock_;
  store::RoleAssignmentStore& store_;
  std::int64_t epoch_ = 0;
  BoundedMap<model::UserId, Known> known_{20'000};
};

}  // namespace det::api
