#pragma once

// In which workspace something is: what roles are held against. One indexed query each. Nothing for what there is not;
// 0 for what is left of a workspace that was deleted.
// Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

using FoundWorkspace = std::optional<model::WorkspaceId>;

// Of a task.
struct TaskPlace {
  model::WorkspaceId workspace;
  bool is_trial = false;  // of an experiment; else one that people start by itself
};

class PlaceOfStore {
 public:
  explicit PlaceOfStore(pg::Pool& pool) : pool_(pool) {}

  Task<Result<FoundWorkspace>> experiment(model::ExperimentId id);
  Task<Result<FoundWorkspace>> trial(model::TrialId id);
  Task<Result<FoundWorkspace>> project(model::ProjectId id);
  // Of the experiment or the task that made it.
  Task<Result<FoundWorkspace>> checkpoint(std::string uuid);
  // `identifier`: an id or a name, as read_model_id tells them apart.
  Task<Result<FoundWorkspace>> registered_model(std::string identifier);
  Task<Result<FoundWorkspace>> config_template(std::string name);
  Task<Result<FoundWorkspace>> workspace(model::WorkspaceId id);
  Task<Result<std::optional<TaskPlace>>> task(std::string id);
  Task<Result<std::optional<TaskPlace>>> allocation(std::string id);

  // Each workspace once; those that there are not have none.
  Task<Result<std::vector<model::WorkspaceId>>> experiments(std::vector<std::int64_t> ids);
  Task<Result<std::vector<model::WorkspaceId>>> trials(std::vector<std::int64_t> ids);
  Task<Result<std::vector<model::WorkspaceId>>> checkpoints(std::vector<std::string> uuids);

 private:
  template <typename Key>
  Task<Result<FoundWorkspace>> one(const char* statement, Key key);
  Task<Result<std::optional<TaskPlace>>> task_by(const char* statement, std::string key);
  Task<Result<std::vector<model::WorkspaceId>>> many(const char* statement, std::string keys);

  pg::Pool& pool_;
};

}  // namespace det::store
