#pragma once

// The commit of experiments whose code is in a git repository. The first run says what its branch or tag was; all later
// ones, and the other pods, take the same. Belongs to the io thread; Pool outlives it.

#include <string>

#include "pg/pool.h"

namespace det::store {

class CodePinStore {
 public:
  explicit CodePinStore(pg::Pool& pool) : pool_(pool) {}

  // Of the experiment whose run this allocation is; empty while there is none. kNotFound for an unknown allocation.
  Task<Result<std::string>> find(std::string allocation_id);
  // Keeps `commit` if there is none yet; returns the one that is kept. Idempotent; kNotFound as above.
  Task<Result<std::string>> pin(std::string allocation_id, std::string commit);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
