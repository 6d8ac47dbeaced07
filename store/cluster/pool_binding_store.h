#pragma once

// Which workspaces resource pools are kept for. A pool that is bound to some can be used by nobody else; one that is
// bound to none is everybody's. Belongs to the io thread; Pool outlives it.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

// Of each bound pool its workspaces, by id.
using PoolBindings = std::map<std::string, std::vector<model::WorkspaceId>>;

class PoolBindingStore {
 public:
  explicit PoolBindingStore(pg::Pool& pool) : pool_(pool) {}

  Task<Result<PoolBindings>> all();
  // Workspaces that are given by id or by name.
  struct Workspaces {
    std::vector<model::WorkspaceId> ids;
    std::vector<std::string> names;
  };
  // Adds bindings, or puts them in the place of those that the pool has. kNotFound for a workspace that does not exist,
  // kAlreadyExists for one that is bound to the pool by now; nothing is changed then.
  Task<Status> bind(std::string pool, Workspaces workspaces);
  Task<Status> replace(std::string pool, Workspaces workspaces);
  // kNotFound for a workspace that does not exist or is not bound to the pool; nothing is changed then.
  Task<Status> unbind(std::string pool, Workspaces workspaces);
  // Whether what is of the workspace may use the pool.
  Task<Result<bool>> admits(std::string pool, model::WorkspaceId workspace);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
