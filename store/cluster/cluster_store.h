#pragma once

// The one row that says which database this is, and who may decide. Belongs to the io thread; Pool outlives it.

#include <string>

#include "pg/pool.h"
#include "store/cluster/epoch.h"

namespace det::store {

struct ClusterRow {
  std::string cluster_id;   // uuid, told to clients and harnesses
  std::string incarnation;  // uuid of this database; also kept in the cluster to notice a replaced one
  Epoch epoch;
};

class ClusterStore {
 public:
  explicit ClusterStore(pg::Pool& pool) : pool_(pool) {}

  // The row; made with fresh ids on the first call ever.
  Task<Result<ClusterRow>> load_or_create();
  // Ends all earlier epochs. Waits for deciding transactions that are under way.
  Task<Result<Epoch>> raise_epoch();
  // kFailedPrecondition when `epoch` is no longer the current one.
  Task<Status> check(Epoch epoch);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
