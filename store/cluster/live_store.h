#pragma once

// Tells every replica what pages that watch are to hear of (api/live/), where no trigger does. Belongs to the io
// thread; the pool outlives it.

#include <string>
#include <vector>

#include "pg/pool.h"

namespace det::store {

class LiveStore {
 public:
  explicit LiveStore(pg::Pool& pool) : pool_(pool) {}

  // Each by kLiveChannel; the caller is told as well. Payloads are of less than 8,000 bytes.
  Task<Status> tell(std::vector<std::string> payloads);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
