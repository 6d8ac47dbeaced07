#pragma once

// Workspaces and projects, locked for a change and asked whether they take one. For .cc files of store/. Refusals have
// the words of Determined's master.

#include "pg/pool.h"
#include "store/cluster/workspace_rows.h"

namespace det::store {

struct WorkspaceFacts {
  bool immutable = false;
  bool archived = false;
  PlaceState state = PlaceState::kUnspecified;
};

struct ProjectFacts {
  model::WorkspaceId workspace;
  std::string name;
  bool immutable = false;
  bool archived = false;  // itself
  bool is_workspace_archived = false;
  PlaceState state = PlaceState::kUnspecified;
};

// kNotFound when there is none.
[[nodiscard]] Result<WorkspaceFacts> lock_workspace(pg::Transaction& tx, model::WorkspaceId id);
[[nodiscard]] Result<ProjectFacts> lock_project(pg::Transaction& tx, model::ProjectId id);
// Also kFailedPrecondition for one that takes neither projects nor changes: it is immutable, archived or being deleted.
[[nodiscard]] Status lock_open_workspace(pg::Transaction& tx, model::WorkspaceId id);
// kFailedPrecondition while a resource pool is kept for this workspace and for no other one that stays: without it the
// pool would be everybody's.
[[nodiscard]] Status check_keeps_no_pool(pg::Transaction& tx, model::WorkspaceId id);

}  // namespace det::store
