#include "store/access/place_of_store.h"

#include <utility>

#include "base/uuid.h"
#include "store/registry/registered_model_store.h"
#include "store/sql.h"

namespace det::store {
namespace {

const char* const kExperiment =
    "SELECT p.workspace_id FROM experiments e JOIN projects p ON p.id = e.project_id WHERE e.id = $1";
const char* const kTrial =
    "SELECT p.workspace_id FROM trials t JOIN experiments e ON e.id = t.experiment_id JOIN projects p ON p.id = "
    "e.project_id WHERE t.id = $1";
const char* const kProject = "SELECT workspace_id FROM projects WHERE id = $1";
const char* const kModelById = "SELECT workspace_id FROM models WHERE id = $1";
const char* const kModelByName = "SELECT workspace_id FROM models WHERE name = $1";
const char* const kTemplate = "SELECT workspace_id FROM templates WHERE name = $1";
const char* const kWorkspace = "SELECT id FROM workspaces WHERE id = $1";
// Tasks by number: those of trials, and those that people start by themselves. 0 is no workspace: what is left of one
// that was deleted is for those who may it everywhere.
const char* const kCheckpoint =
    "SELECT coalesce(p.workspace_id, s.workspace_id, 0) FROM checkpoints c LEFT JOIN trials t ON t.task_number = "
    "c.task_number LEFT JOIN experiments e ON e.id = t.experiment_id LEFT JOIN projects p ON p.id = e.project_id LEFT "
    "JOIN standalone_tasks s ON s.task_number = c.task_number WHERE c.uuid = $1::uuid";
const char* const kTask =
    "SELECT coalesce(p.workspace_id, s.workspace_id, 0), t.id IS NOT NULL FROM tasks k LEFT JOIN trials t ON "
    "t.task_number = k.number LEFT JOIN experiments e ON e.id = t.experiment_id LEFT JOIN projects p ON p.id = "
    "e.project_id LEFT JOIN standalone_tasks s ON s.task_number = k.number WHERE k.id = $1";
const char* const kAllocation =
    "SELECT coalesce(p.workspace_id, s.workspace_id, 0), t.id IS NOT NULL FROM allocations a LEFT JOIN trials t ON "
    "t.task_number = a.task_number LEFT JOIN experiments e ON e.id = t.experiment_id LEFT JOIN projects p ON p.id = "
    "e.project_id LEFT JOIN standalone_tasks s ON s.task_number = a.task_number WHERE a.id = $1";
const char* const kExperiments =
    "SELECT DISTINCT p.workspace_id FROM experiments e JOIN projects p ON p.id = e.project_id WHERE e.id = "
    "ANY($1::bigint[])";
const char* const kTrials =
    "SELECT DISTINCT p.workspace_id FROM trials t JOIN experiments e ON e.id = t.experiment_id JOIN projects p ON p.id "
    "= e.project_id WHERE t.id = ANY($1::bigint[])";
const char* const kCheckpoints =
    "SELECT DISTINCT coalesce(p.workspace_id, s.workspace_id, 0) FROM checkpoints c LEFT JOIN trials t ON "
    "t.task_number = "
    "c.task_number LEFT JOIN experiments e ON e.id = t.experiment_id LEFT JOIN projects p ON p.id = e.project_id LEFT "
    "JOIN standalone_tasks s ON s.task_number = c.task_number WHERE c.uuid = ANY($1::uuid[])";

}  // namespace

template <typename Key>
Task<Result<FoundWorkspace>> PlaceOfStore::one(const char* statement, Key key) {
  auto body = [statement, key](pg::Transaction& tx) -> Result<FoundWorkspace> {
    const pqxx::result found = run_sql(tx, statement, key);
    if (found.empty()) return FoundWorkspace();
    return as_optional_id<model::WorkspaceId>(found[0][0]);
  };
  co_return co_await pool_.read("find a workspace", std::move(body));
}

Task<Result<std::optional<TaskPlace>>> PlaceOfStore::task_by(const char* statement, std::string key) {
  auto body = [statement, key](pg::Transaction& tx) -> Result<std::optional<TaskPlace>> {
    const pqxx::result found = run_sql(tx, statement, key);
    if (found.empty()) return std::nullopt;
    return TaskPlace{.workspace = {found[0][0].as<std::int64_t>()}, .is_trial = found[0][1].as<bool>()};
  };
  co_return co_await pool_.read("find a task's workspace", std::move(body));
}

Task<Result<std::vector<model::WorkspaceId>>> PlaceOfStore::many(const char* statement, std::string keys) {
  auto body = [statement, keys](pg::Transaction& tx) -> Result<std::vector<model::WorkspaceId>> {
    std::vector<model::WorkspaceId> all;
    for (const auto& row : run_sql(tx, statement, keys)) all.push_back({row[0].as<std::int64_t>()});
    return all;
  };
  co_return co_await pool_.read("find workspaces", std::move(body));
}

Task<Result<FoundWorkspace>> PlaceOfStore::experiment(model::ExperimentId id) {
  return one(kExperiment, id.value);
}

Task<Result<FoundWorkspace>> PlaceOfStore::trial(model::TrialId id) {
  return one(kTrial, id.value);
}

Task<Result<FoundWorkspace>> PlaceOfStore::project(model::ProjectId id) {
  return one(kProject, id.value);
}

Task<Result<FoundWorkspace>> PlaceOfStore::checkpoint(std::string uuid) {
  if (!is_uuid(uuid)) co_return FoundWorkspace();
  co_return co_await one(kCheckpoint, std::move(uuid));
}

Task<Result<FoundWorkspace>> PlaceOfStore::registered_model(std::string identifier) {
  if (const auto id = read_model_id(identifier)) co_return co_await one(kModelById, *id);
  co_return co_await one(kModelByName, std::move(identifier));
}

Task<Result<FoundWorkspace>> PlaceOfStore::config_template(std::string name) {
  return one(kTemplate, std::move(name));
}

Task<Result<FoundWorkspace>> PlaceOfStore::workspace(model::WorkspaceId id) {
  return one(kWorkspace, id.value);
}

Task<Result<std::optional<TaskPlace>>> PlaceOfStore::task(std::string id) {
  return task_by(kTask, std::move(id));
}

Task<Result<std::optional<TaskPlace>>> PlaceOfStore::allocation(std::string id) {
  return task_by(kAllocation, std::move(id));
}

Task<Result<std::vector<model::WorkspaceId>>> PlaceOfStore::experiments(std::vector<std::int64_t> ids) {
  return many(kExperiments, int_array(ids));
}

Task<Result<std::vector<model::WorkspaceId>>> PlaceOfStore::trials(std::vector<std::int64_t> ids) {
  return many(kTrials, int_array(ids));
}

Task<Result<std::vector<model::WorkspaceId>>> PlaceOfStore::checkpoints(std::vector<std::string> uuids) {
  return many(kCheckpoints, text_array(uuids));
}

}  // namespace det::store
