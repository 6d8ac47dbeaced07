#pragma once

// Workspaces, to read. Belongs to the io thread; Pool outlives it.

#include <optional>
#include <string>
#include <vector>

#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

struct WorkspaceRow {
  model::WorkspaceId id;
  std::string name;
  model::UserId owner;
  std::string owner_name;
  bool immutable = false;
  bool archived = false;
  std::int64_t projects = 0;
  std::int64_t experiments = 0;
};

class WorkspaceStore {
 public:
  explicit WorkspaceStore(pg::Pool& pool) : pool_(pool) {}

  // All, by id.
  Task<Result<std::vector<WorkspaceRow>>> list();
  // kNotFound when there is no such project.
  Task<Result<model::WorkspaceId>> of_project(model::ProjectId project);
  // kNotFound when there is no such workspace or no such project in it.
  Task<Result<model::ProjectId>> project_named(std::string workspace, std::string project);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
