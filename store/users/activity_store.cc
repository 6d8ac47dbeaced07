#include "store/users/activity_store.h"

#include "store/sql.h"

namespace det::store {
namespace {

const char* const kHasProject = "SELECT 1 FROM projects WHERE id = $1";
const char* const kNote =
    "INSERT INTO project_visits (user_id, project_id) VALUES ($1, $2) "
    "ON CONFLICT (user_id, project_id) DO UPDATE SET visited_at = now()";
// Index project_visits_pkey: as many rows as there are projects.
const char* const kVisited =
    "SELECT v.project_id FROM project_visits v JOIN projects p ON p.id = v.project_id WHERE v.user_id = $1 AND "
    "($3::bigint[] IS NULL OR p.workspace_id = ANY($3::bigint[])) ORDER BY v.visited_at DESC, v.project_id LIMIT $2";

}  // namespace

Task<Status> ActivityStore::note_visit(model::UserId user, model::ProjectId project) {
  auto body = [user, project](pg::Transaction& tx) -> Status {
    if (run_sql(tx, kHasProject, project.value).empty()) return not_found("project", to_string(project));
    run_sql(tx, kNote, user.value, project.value);
    return {};
  };
  co_return co_await pool_.write("note a visit of a project", std::move(body));
}

Task<Result<std::vector<model::ProjectId>>> ActivityStore::visited(
    model::UserId user, int limit, std::optional<std::vector<model::WorkspaceId>> visible) {
  auto body = [user, limit,
               workspaces = id_array_or_null(visible)](pg::Transaction& tx) -> Result<std::vector<model::ProjectId>> {
    std::vector<model::ProjectId> projects;
    for (const auto& row : run_sql(tx, kVisited, user.value, limit, workspaces)) {
      projects.push_back({row[0].as<std::int64_t>()});
    }
    return projects;
  };
  co_return co_await pool_.read("list visited projects", std::move(body));
}

}  // namespace det::store
