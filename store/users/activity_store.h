#pragma once

// Which projects somebody looked at last. Belongs to the io thread; Pool outlives it.

#include <optional>
#include <vector>

#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

class ActivityStore {
 public:
  explicit ActivityStore(pg::Pool& pool) : pool_(pool) {}

  // kNotFound when there is no such project.
  Task<Status> note_visit(model::UserId user, model::ProjectId project);
  // The latest first, of these workspaces; nothing: of all.
  Task<Result<std::vector<model::ProjectId>>> visited(model::UserId user, int limit,
                                                      std::optional<std::vector<model::WorkspaceId>> visible);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
