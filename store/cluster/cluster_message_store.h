#pragma once

// What administrators tell everybody. Belongs to the io thread; Pool outlives it.

#include <optional>
#include <string>

#include "base/clock.h"
#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

struct ClusterMessage {
  std::string text;
  WallTime start;
  std::optional<WallTime> end;  // nothing: until it is cleared
  WallTime created_at;
};

class ClusterMessageStore {
 public:
  explicit ClusterMessageStore(pg::Pool& pool) : pool_(pool) {}

  // The one that there is, whether its time has come or not; nothing when it is over.
  Task<Result<std::optional<ClusterMessage>>> find();
  // Takes the place of the one before. `created_at` is the database's.
  Task<Status> set(ClusterMessage message, model::UserId author);
  // Clearing what is not there is success.
  Task<Status> clear();

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
