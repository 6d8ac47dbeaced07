#pragma once

// Which generic tasks were started by which. To read; belongs to the io thread; Pool outlives it.

#include <string>
#include <vector>

#include "pg/pool.h"

namespace det::store {

class TaskFamilyStore {
 public:
  explicit TaskFamilyStore(pg::Pool& pool) : pool_(pool) {}

  // The ids of the task and of all that were started by it, by way of others too: those above first. At most 10,000.
  Task<Result<std::vector<std::string>>> descendants(std::string id);
  // The task above all others of its family; itself where nobody started it.
  Task<Result<std::string>> root(std::string id);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
