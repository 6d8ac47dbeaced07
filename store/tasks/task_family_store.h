#pragma once

// Which generic tasks were started by which, and may be. Belongs to the io thread; Pool outlives it.

#include <string>
#include <vector>

#include "pg/pool.h"

namespace det::store {

// For the transaction that makes a task below this one: kFailedPrecondition where that has ended, or is about to end or
// to pause. Its end, or that of its run, waits until the transaction is over, so that whoever ends or pauses the family
// then finds the new task.
[[nodiscard]] Status check_parent(pg::Transaction& tx, const std::string& id);

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
