#include "store/cluster/workspace_store.h"

#include "store/sql.h"

namespace det::store {
namespace {

const char* const kList =
    "SELECT w.id, w.name, w.owner_id, u.username, w.immutable, w.archived, "
    "(SELECT count(*) FROM projects p WHERE p.workspace_id = w.id), "
    "(SELECT count(*) FROM experiments e JOIN projects p ON p.id = e.project_id WHERE p.workspace_id = w.id) "
    "FROM workspaces w JOIN users u ON u.id = w.owner_id ORDER BY w.id";

const char* const kProjectNamed =
    "SELECT p.id FROM projects p JOIN workspaces w ON w.id = p.workspace_id WHERE w.name = $1 AND p.name = $2";
const char* const kOfProject = "SELECT workspace_id FROM projects WHERE id = $1";

}  // namespace

Task<Result<std::vector<WorkspaceRow>>> WorkspaceStore::list() {
  auto body = [](pg::Transaction& tx) -> Result<std::vector<WorkspaceRow>> {
    std::vector<WorkspaceRow> rows;
    for (const auto& row : run_sql(tx, kList)) {
      rows.push_back({.id = {row[0].as<std::int64_t>()},
                      .name = as_text(row[1]),
                      .owner = {row[2].as<std::int64_t>()},
                      .owner_name = as_text(row[3]),
                      .immutable = row[4].as<bool>(),
                      .archived = row[5].as<bool>(),
                      .projects = row[6].as<std::int64_t>(),
                      .experiments = row[7].as<std::int64_t>()});
    }
    return rows;
  };
  co_return co_await pool_.read("list workspaces", std::move(body));
}

Task<Result<model::ProjectId>> WorkspaceStore::project_named(std::string workspace, std::string project) {
  auto body = [=](pg::Transaction& tx) -> Result<model::ProjectId> {
    const pqxx::result found = run_sql(tx, kProjectNamed, workspace, project);
    if (found.empty()) return not_found("workspace/project", workspace + "/" + project);
    return model::ProjectId{found[0][0].as<std::int64_t>()};
  };
  co_return co_await pool_.read("find project", std::move(body));
}

Task<Result<model::WorkspaceId>> WorkspaceStore::of_project(model::ProjectId project) {
  auto body = [project](pg::Transaction& tx) -> Result<model::WorkspaceId> {
    const pqxx::result found = run_sql(tx, kOfProject, project.value);
    if (found.empty()) return not_found("project", to_string(project));
    return model::WorkspaceId{found[0][0].as<std::int64_t>()};
  };
  co_return co_await pool_.read("find a project's workspace", std::move(body));
}

}  // namespace det::store
