#include "store/cluster/place_checks.h"

#include "store/sql.h"

namespace det::store {
namespace {

const char* const kLockWorkspace = "SELECT immutable, archived, state FROM workspaces WHERE id = $1 FOR UPDATE";
const char* const kLockProject =
    "SELECT p.workspace_id, p.name, p.immutable, p.archived, w.archived, p.state FROM projects p JOIN workspaces w ON "
    "w.id = p.workspace_id WHERE p.id = $1 FOR UPDATE OF p";
// Two that go at once would each rely on the other one.
const char* const kLockBindings =
    "SELECT 1 FROM pool_bindings WHERE pool IN (SELECT pool FROM pool_bindings WHERE workspace_id = $1) ORDER BY pool, "
    "workspace_id FOR UPDATE";
const char* const kKeptAlone =
    "SELECT b.pool FROM pool_bindings b WHERE b.workspace_id = $1 AND NOT EXISTS (SELECT 1 FROM pool_bindings o JOIN "
    "workspaces w ON w.id = o.workspace_id WHERE o.pool = b.pool AND w.id <> $1 AND w.state <> 'DELETING') ORDER BY 1 "
    "LIMIT 1";

}  // namespace

std::string_view to_string(PlaceState state) {
  switch (state) {
    case PlaceState::kUnspecified:
      return "UNSPECIFIED";
    case PlaceState::kDeleting:
      return "DELETING";
    case PlaceState::kDeleteFailed:
      return "DELETE_FAILED";
  }
  return "";
}

std::optional<PlaceState> parse_place_state(std::string_view word) {
  for (const auto state : {PlaceState::kUnspecified, PlaceState::kDeleting, PlaceState::kDeleteFailed}) {
    if (to_string(state) == word) return state;
  }
  return std::nullopt;
}

Result<WorkspaceFacts> lock_workspace(pg::Transaction& tx, model::WorkspaceId id) {
  const pqxx::result found = run_sql(tx, kLockWorkspace, id.value);
  if (found.empty()) return not_found("workspace", to_string(id));
  return WorkspaceFacts{.immutable = found[0][0].as<bool>(),
                        .archived = found[0][1].as<bool>(),
                        .state = as_state(found[0][2], parse_place_state)};
}

Result<ProjectFacts> lock_project(pg::Transaction& tx, model::ProjectId id) {
  const pqxx::result found = run_sql(tx, kLockProject, id.value);
  if (found.empty()) return not_found("project", to_string(id));
  return ProjectFacts{.workspace = {found[0][0].as<std::int64_t>()},
                      .name = as_text(found[0][1]),
                      .immutable = found[0][2].as<bool>(),
                      .archived = found[0][3].as<bool>(),
                      .is_workspace_archived = found[0][4].as<bool>(),
                      .state = as_state(found[0][5], parse_place_state)};
}

Status lock_open_workspace(pg::Transaction& tx, model::WorkspaceId id) {
  const auto facts = lock_workspace(tx, id);
  DET_TRY(facts);
  const std::string what = "workspace (" + to_string(id) + ") is ";
  if (facts->immutable) {
    return fail(ErrorCode::kFailedPrecondition, what + "immutable and cannot add new projects");
  }
  if (facts->archived) return fail(ErrorCode::kFailedPrecondition, what + "archived and cannot add new projects");
  if (facts->state == PlaceState::kDeleting) return fail(ErrorCode::kFailedPrecondition, what + "being deleted");
  return {};
}

Status check_keeps_no_pool(pg::Transaction& tx, model::WorkspaceId id) {
  run_sql(tx, kLockBindings, id.value);
  // A statement of its own: it sees what was committed while the locks were waited for.
  const pqxx::result found = run_sql(tx, kKeptAlone, id.value);
  if (found.empty()) return {};
  return fail(ErrorCode::kFailedPrecondition,
              "workspace (" + to_string(id) + ") is the only one that resource pool '" + as_text(found[0][0]) +
                  "' is bound to, and without it everybody could use the pool: bind the pool to another workspace, or "
                  "unbind it first");
}

}  // namespace det::store
