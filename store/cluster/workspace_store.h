#pragma once

// Workspaces. Belongs to the io thread; Pool outlives it. Refusals have the words of Determined's master. How one is
// deleted: store/removals/removal_store.h.

#include <optional>
#include <string>
#include <vector>

#include "pg/pool.h"
#include "store/cluster/workspace_rows.h"

namespace det::store {

class WorkspaceStore {
 public:
  explicit WorkspaceStore(pg::Pool& pool) : pool_(pool) {}

  // kInvalidArgument when the page begins after the end.
  Task<Result<Paged<WorkspaceRow>>> list(WorkspaceFilter filter);
  // As this user sees it. kNotFound when there is none.
  Task<Result<WorkspaceRow>> find(model::WorkspaceId id, model::UserId viewer);
  Task<Result<std::optional<model::UserId>>> owner(model::WorkspaceId id);

  // kAlreadyExists when the name is taken, in whatever case.
  Task<Result<model::WorkspaceId>> create(NewWorkspace workspace);
  // kFailedPrecondition for one that is immutable, archived or being deleted.
  Task<Status> change(model::WorkspaceId id, WorkspaceChange change);
  // Empty: to none any more. Also of one that is immutable. kNotFound when there is none, kFailedPrecondition for one
  // that is being deleted.
  Task<Status> bind_namespace(model::WorkspaceId id, std::string ns);
  Task<Status> set_archived(model::WorkspaceId id, bool archived);
  Task<Status> set_pinned(model::WorkspaceId id, model::UserId user, bool pinned);

  // What the gate asks, without what only lists show. kNotFound when there is no such project or workspace.
  Task<Result<ProjectPlace>> place(model::ProjectId project);
  Task<Result<ProjectPlace>> place_named(std::string workspace, std::string project);
  Task<Result<WorkspaceRow>> for_tasks(model::WorkspaceId id);
  Task<Result<WorkspaceRow>> for_tasks_named(std::string name);
  // kNotFound when there is no such project.
  Task<Result<model::WorkspaceId>> of_project(model::ProjectId project);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
