// How projects and workspaces go: rows only. What of it is in Kubernetes: operator/removal/place_remover.h.

#include <utility>

#include "store/channels.h"
#include "store/cluster/place_checks.h"
#include "store/logs/log_deletion.h"
#include "store/registry/registered_checkpoints.h"
#include "store/removals/removal_plan.h"
#include "store/removals/removal_store.h"
#include "store/sql.h"

namespace det::store {
namespace {

// What nobody has stopped; what stops is waited for. Index experiments_project.
const char* const kUnstopped =
    "SELECT id FROM experiments WHERE project_id = ANY($1::bigint[]) AND state IN ('ACTIVE', 'PAUSED') ORDER BY id";
const char* const kProjectsOf = "SELECT id FROM projects WHERE workspace_id = $1 FOR UPDATE";
const char* const kHasExperiments = "SELECT 1 FROM experiments WHERE project_id = $1 LIMIT 1";
const char* const kHasTasks = "SELECT 1 FROM standalone_tasks WHERE workspace_id = $1 LIMIT 1";
const char* const kHasModels = "SELECT 1 FROM models WHERE workspace_id = $1 LIMIT 1";  // models_workspace
const char* const kProjectsGo =
    "UPDATE projects SET state = 'DELETING', error_message = '', deleted_up_to = 0 WHERE id = ANY($1::bigint[]) AND "
    "state <> 'DELETING'";
const char* const kWorkspaceGoes = "UPDATE workspaces SET state = 'DELETING', error_message = '' WHERE id = $1";
const char* const kDropTemplates = "DELETE FROM templates WHERE workspace_id = $1";
const char* const kDropProject = "DELETE FROM projects WHERE id = $1";
const char* const kDropWorkspace = "DELETE FROM workspaces WHERE id = $1";

const char* const kGoingProjects =  // projects_deleting
    "SELECT p.id, p.deleted_up_to, (SELECT count(*) FROM experiments e WHERE e.project_id = p.id) FROM projects p "
    "WHERE "
    "p.state = 'DELETING' AND p.id > $1 ORDER BY p.id LIMIT $2";
const char* const kNext =
    "SELECT id, state, message FROM experiments WHERE project_id = $1 AND id > $2 ORDER BY id LIMIT 100";
const char* const kFailed =
    "SELECT id, state, message FROM experiments WHERE project_id = $1 AND id <= $2 AND state = 'DELETE_FAILED' ORDER "
    "BY "
    "id LIMIT 100";
const char* const kNoteBegun =
    "UPDATE projects SET deleted_up_to = greatest(deleted_up_to, $2) WHERE id = $1 AND state = 'DELETING'";
const char* const kGoingWorkspaces =  // workspaces_deleting
    "SELECT w.id, (SELECT count(*) FROM projects p WHERE p.workspace_id = w.id), (SELECT 'project ''' || p.name || "
    "''': "
    "' || p.error_message FROM projects p WHERE p.workspace_id = w.id AND p.state <> 'DELETING' ORDER BY p.id LIMIT 1) "
    "FROM workspaces w WHERE w.state = 'DELETING' AND w.id > $1 ORDER BY w.id LIMIT $2";
// Those that a removal of files still looks for stay until it is over. Index standalone_tasks_workspace.
const char* const kTasksOf =
    "SELECT k.id, s.namespace, s.object_name, s.uid, s.state NOT IN ('ACTIVE', 'PAUSED'), k.type = 'CHECKPOINT_GC' "
    "FROM "
    "standalone_tasks s JOIN tasks k ON k.number = s.task_number WHERE s.workspace_id = $1 AND NOT EXISTS (SELECT 1 "
    "FROM removals r WHERE r.task_id = k.id AND r.state = 'PENDING' AND s.state NOT IN ('ACTIVE', 'PAUSED')) ORDER BY "
    "k.number LIMIT 200";

const char* const kOverNumbers =
    "SELECT k.number FROM tasks k JOIN standalone_tasks s ON s.task_number = k.number WHERE k.id = ANY($1::text[]) AND "
    "s.state NOT IN ('ACTIVE', 'PAUSED') FOR UPDATE OF s";
const char* const kDropLogs = "DELETE FROM task_log_chunks WHERE task_number = ANY($1::bigint[])";
const char* const kDropRuns = "DELETE FROM allocations WHERE task_number = ANY($1::bigint[])";
const char* const kDropRows = "DELETE FROM standalone_tasks WHERE task_number = ANY($1::bigint[])";
// A task with checkpoints stays: their rows name it.
const char* const kDropTasks =
    "DELETE FROM tasks k WHERE k.number = ANY($1::bigint[]) AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE "
    "c.task_number = k.number)";

const char* const kProjectFails =
    "UPDATE projects SET state = 'DELETE_FAILED', error_message = $2 WHERE id = $1 AND state = 'DELETING'";
const char* const kWorkspaceFails =
    "UPDATE workspaces SET state = 'DELETE_FAILED', error_message = $2 WHERE id = $1 AND state = 'DELETING'";

Status check_stopped(pg::Transaction& tx, const std::string& what, const std::string& projects) {
  const pqxx::result found = run_sql(tx, kUnstopped, projects);
  if (found.empty()) return {};
  return fail(ErrorCode::kFailedPrecondition,
              what + " has experiments that are not in a terminal state: " + name_some(found) + ". Kill them first");
}

// Its experiments could not go, and what went before them would be lost.
Status check_free(pg::Transaction& tx, const std::string& what, const std::string& projects) {
  const auto registered = registered_in_projects(tx, projects);
  if (registered.empty()) return check_unneeded(tx, what, projects);
  return fail(ErrorCode::kFailedPrecondition, what + " has checkpoints in the model registry: " +
                                                  versions_text(registered) + ". Delete those versions first");
}

std::unexpected<Error> not_deletable(const std::string& what) {
  return fail(ErrorCode::kFailedPrecondition, what + " does not exist or not deletable by this user");
}

std::vector<GoingProject::Experiment> read_experiments(const pqxx::result& rows) {
  std::vector<GoingProject::Experiment> found;
  for (const auto& row : rows) {
    found.push_back({.id = {row[0].as<std::int64_t>()},
                     .state = as_state(row[1], model::parse_experiment_state),
                     .message = as_text(row[2])});
  }
  return found;
}

// Numbers of those that have ended, whose rows are locked.
std::vector<std::int64_t> over_among(pg::Transaction& tx, const std::vector<std::string>& ids) {
  std::vector<std::int64_t> numbers;
  for (const auto& row : run_sql(tx, kOverNumbers, text_array(ids))) numbers.push_back(row[0].as<std::int64_t>());
  return numbers;
}

}  // namespace

Task<Result<bool>> RemovalStore::begin_delete_project(model::ProjectId id) {
  auto body = [id](pg::Transaction& tx) -> Result<bool> {
    const auto facts = lock_project(tx, id);
    DET_TRY(facts);
    const std::string what = "project (" + to_string(id) + ")";
    if (facts->immutable) return not_deletable(what);
    const std::string ids = int_array({id.value});
    DET_TRY(check_stopped(tx, what, ids));
    DET_TRY(check_free(tx, what, ids));
    if (run_sql(tx, kHasExperiments, id.value).empty()) {
      run_sql(tx, kDropProject, id.value);
      return true;
    }
    run_sql(tx, kProjectsGo, ids);
    notify(tx, kRemovalChannel, "");
    return false;
  };
  co_return co_await pool_.write("begin to delete a project", std::move(body));
}

Task<Result<bool>> RemovalStore::begin_delete_workspace(model::WorkspaceId id) {
  auto body = [id](pg::Transaction& tx) -> Result<bool> {
    const auto facts = lock_workspace(tx, id);
    DET_TRY(facts);
    const std::string what = "workspace (" + to_string(id) + ")";
    if (facts->immutable) return not_deletable(what);
    std::vector<std::int64_t> projects;
    for (const auto& row : run_sql(tx, kProjectsOf, id.value)) projects.push_back(row[0].as<std::int64_t>());
    if (!run_sql(tx, kHasModels, id.value).empty()) {
      return fail(ErrorCode::kFailedPrecondition, what + " contains models; move or delete models first");
    }
    DET_TRY(check_stopped(tx, what, int_array(projects)));
    DET_TRY(check_free(tx, what, int_array(projects)));
    DET_TRY(check_keeps_no_pool(tx, id));
    if (projects.empty() && run_sql(tx, kHasTasks, id.value).empty()) {
      run_sql(tx, kDropTemplates, id.value);
      run_sql(tx, kDropWorkspace, id.value);
      return true;
    }
    run_sql(tx, kProjectsGo, int_array(projects));
    run_sql(tx, kWorkspaceGoes, id.value);
    notify(tx, kRemovalChannel, "");
    return false;
  };
  co_return co_await pool_.write("begin to delete a workspace", std::move(body));
}

Task<Result<std::vector<GoingProject>>> RemovalStore::going_projects(std::int64_t after) {
  auto body = [after](pg::Transaction& tx) -> Result<std::vector<GoingProject>> {
    std::vector<GoingProject> all;
    for (const auto& row : run_sql(tx, kGoingProjects, after, kMostGoing)) {
      const auto id = row[0].as<std::int64_t>();
      const auto up_to = row[1].as<std::int64_t>();
      all.push_back({.id = {id},
                     .next = read_experiments(run_sql(tx, kNext, id, up_to)),
                     .failed = read_experiments(run_sql(tx, kFailed, id, up_to)),
                     .left = row[2].as<std::int64_t>()});
    }
    return all;
  };
  co_return co_await pool_.read("projects that go", std::move(body));
}

Task<Status> RemovalStore::note_begun(Epoch epoch, model::ProjectId id, model::ExperimentId up_to) {
  auto body = [=](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    run_sql(tx, kNoteBegun, id.value, up_to.value);
    return {};
  };
  co_return co_await pool_.write("note how far a project's deletion is", std::move(body));
}

Task<Status> RemovalStore::finish_project(Epoch epoch, model::ProjectId id) {
  auto body = [=](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    run_sql(tx, kDropProject, id.value);
    return {};
  };
  co_return co_await pool_.write("delete a project", std::move(body));
}

Task<Status> RemovalStore::give_up_project(Epoch epoch, model::ProjectId id, std::string why) {
  auto body = [=](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    run_sql(tx, kProjectFails, id.value, why);
    return {};
  };
  co_return co_await pool_.write("give up a project's deletion", std::move(body));
}

Task<Result<std::vector<GoingWorkspace>>> RemovalStore::going_workspaces(std::int64_t after) {
  auto body = [after](pg::Transaction& tx) -> Result<std::vector<GoingWorkspace>> {
    std::vector<GoingWorkspace> all;
    for (const auto& row : run_sql(tx, kGoingWorkspaces, after, kMostGoing)) {
      GoingWorkspace one{.id = {row[0].as<std::int64_t>()},
                         .projects = row[1].as<std::int64_t>(),
                         .failure = as_text(row[2]),
                         .tasks = {}};
      for (const auto& task : run_sql(tx, kTasksOf, one.id.value)) {
        one.tasks.push_back({.id = as_text(task[0]),
                             .ns = as_text(task[1]),
                             .name = as_text(task[2]),
                             .uid = as_text(task[3]),
                             .is_over = task[4].as<bool>(),
                             .removes_files = task[5].as<bool>()});
      }
      all.push_back(std::move(one));
    }
    return all;
  };
  co_return co_await pool_.read("workspaces that go", std::move(body));
}

Task<Status> RemovalStore::remove_tasks(Epoch epoch, std::vector<std::string> ids) {
  for (bool has_more = true; has_more;) {
    auto some = [epoch, &ids](pg::Transaction& tx) -> Result<bool> {
      DET_TRY(check_epoch(tx, epoch));
      return delete_some_logs(tx, over_among(tx, ids));
    };
    const auto done = co_await pool_.write("delete logs of tasks", std::move(some));
    DET_CO_TRY(done);
    has_more = *done;
  }
  auto body = [epoch, ids = std::move(ids)](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    const std::vector<std::int64_t> numbers = over_among(tx, ids);
    for (const char* rows : {kDropLogs, kDropRuns, kDropRows, kDropTasks}) run_sql(tx, rows, int_array(numbers));
    return {};
  };
  co_return co_await pool_.write("delete tasks", std::move(body));
}

Task<Status> RemovalStore::finish_workspace(Epoch epoch, model::WorkspaceId id) {
  auto body = [=](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    run_sql(tx, kDropTemplates, id.value);
    run_sql(tx, kDropWorkspace, id.value);
    return {};
  };
  co_return co_await pool_.write("delete a workspace", std::move(body));
}

Task<Status> RemovalStore::give_up_workspace(Epoch epoch, model::WorkspaceId id, std::string why) {
  auto body = [=](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    run_sql(tx, kWorkspaceFails, id.value, why);
    return {};
  };
  co_return co_await pool_.write("give up a workspace's deletion", std::move(body));
}

}  // namespace det::store
