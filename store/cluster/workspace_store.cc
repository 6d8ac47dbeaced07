#include "store/cluster/workspace_store.h"

#include <utility>

#include "store/access/role_assignment_store.h"
#include "store/cluster/place_checks.h"
#include "store/sql.h"

namespace det::store {
namespace {

// What is added up over projects and experiments is asked for the rows of the page only.
const char* const kColumns =
    "SELECT w.id, w.name, w.owner_id, u.username, w.immutable, w.archived, w.state, w.error_message, w.agent_uid, "
    "w.agent_gid, w.agent_user, w.agent_group, w.default_compute_pool, w.default_aux_pool, w.checkpoint_storage, "
    "w.task_namespace, ";
const char* const kCounts =
    "(SELECT count(*) FROM projects p WHERE p.workspace_id = w.id), "
    "(SELECT count(*) FROM experiments e JOIN projects p ON p.id = e.project_id WHERE p.workspace_id = w.id), "
    "pin.pinned_at";
const char* const kNoCounts = "0, 0, NULL::timestamptz FROM workspaces w JOIN users u ON u.id = w.owner_id ";
const char* const kFrom =
    " FROM workspaces w JOIN users u ON u.id = w.owner_id LEFT JOIN workspace_pins pin ON pin.workspace_id = w.id AND "
    "pin.user_id = $1 ";
const char* const kMatching =
    "WHERE ($2 = '' OR lower(w.name) = lower($2)) AND ($3 = '' OR w.name = $3) AND ($4::boolean IS NULL OR w.archived "
    "= $4) AND ($5::boolean IS NULL OR (pin.pinned_at IS NOT NULL) = $5) AND (cardinality($6::text[]) + "
    "cardinality($7::bigint[]) = 0 OR u.username = ANY($6::text[]) OR w.owner_id = ANY($7::bigint[])) AND "
    "($8::bigint[] IS NULL OR w.id = "
    "ANY($8::bigint[]))";

const char* const kOwner = "SELECT owner_id FROM workspaces WHERE id = $1";
const char* const kNameTaken = "SELECT 1 FROM workspaces WHERE lower(name) = lower($1) AND id <> $2";
const char* const kInsert =
    "INSERT INTO workspaces (name, owner_id, agent_uid, agent_gid, agent_user, agent_group, default_compute_pool, "
    "default_aux_pool, checkpoint_storage, task_namespace) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING "
    "id";
const char* const kChange =
    "UPDATE workspaces SET name = coalesce($2, name), agent_uid = CASE WHEN $3 THEN $4 ELSE agent_uid END, agent_gid = "
    "CASE WHEN $3 THEN $5 ELSE agent_gid END, agent_user = CASE WHEN $3 THEN $6 ELSE agent_user END, agent_group = "
    "CASE WHEN $3 THEN $7 ELSE agent_group END, default_compute_pool = coalesce($8, default_compute_pool), "
    "default_aux_pool = coalesce($9, default_aux_pool), checkpoint_storage = CASE WHEN $10 THEN $11::jsonb ELSE "
    "checkpoint_storage END WHERE id = $1";
const char* const kBindNamespace = "UPDATE workspaces SET task_namespace = $2 WHERE id = $1";
const char* const kSetArchived = "UPDATE workspaces SET archived = $2 WHERE id = $1";
const char* const kPin = "INSERT INTO workspace_pins (workspace_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const char* const kUnpin = "DELETE FROM workspace_pins WHERE workspace_id = $1 AND user_id = $2";

const char* const kPlace =
    "SELECT p.id, w.id, p.archived, w.archived, 'DELETING' IN (p.state, w.state), w.default_compute_pool, "
    "w.default_aux_pool, w.checkpoint_storage, w.task_namespace FROM projects p JOIN workspaces w ON w.id = "
    "p.workspace_id WHERE ";
const char* const kOfProject = "SELECT workspace_id FROM projects WHERE id = $1";

model::AgentAccountOverride read_agent(const pqxx::row& row, int at) {
  return {.uid = as_optional<int>(row[at]),
          .gid = as_optional<int>(row[at + 1]),
          .user = as_optional<std::string>(row[at + 2]),
          .group = as_optional<std::string>(row[at + 3])};
}

model::WorkspaceDefaults read_defaults(const pqxx::row& row, int at) {
  return {.compute_pool = as_text(row[at]),
          .aux_pool = as_text(row[at + 1]),
          .checkpoint_storage = as_json(row[at + 2]),
          .ns = as_text(row[at + 3])};
}

WorkspaceRow read_workspace(const pqxx::row& row) {
  return {.id = {row[0].as<std::int64_t>()},
          .name = as_text(row[1]),
          .owner = {row[2].as<std::int64_t>()},
          .owner_name = as_text(row[3]),
          .immutable = row[4].as<bool>(),
          .archived = row[5].as<bool>(),
          .state = as_state(row[6], parse_place_state),
          .error = as_text(row[7]),
          .agent = read_agent(row, 8),
          .defaults = read_defaults(row, 12),
          .projects = row[16].as<std::int64_t>(),
          .experiments = row[17].as<std::int64_t>(),
          .pinned_at = as_optional_time(row[18])};
}

ProjectPlace read_place(const pqxx::row& row) {
  return {.project = {row[0].as<std::int64_t>()},
          .workspace = {row[1].as<std::int64_t>()},
          .is_project_archived = row[2].as<bool>(),
          .is_workspace_archived = row[3].as<bool>(),
          .is_going = row[4].as<bool>(),
          .defaults = read_defaults(row, 5)};
}

std::optional<std::string> storage_text(const nlohmann::json& storage) {
  if (storage.is_null()) return std::nullopt;
  return json_text(storage);
}

Status check_name_is_free(pg::Transaction& tx, const std::string& name, std::int64_t except) {
  if (run_sql(tx, kNameTaken, name, except).empty()) return {};
  return fail(ErrorCode::kAlreadyExists, "avoid names equal to other workspaces (case-insensitive)", "name");
}

}  // namespace

Task<Result<Paged<WorkspaceRow>>> WorkspaceStore::list(WorkspaceFilter filter) {
  auto body = [f = std::move(filter)](pg::Transaction& tx) -> Result<Paged<WorkspaceRow>> {
    const auto select = [&](const std::string& sql, auto&&... more) {
      return run_sql(tx, sql, f.viewer.value, f.name, f.exact_name, f.archived, f.pinned, text_array(f.users),
                     id_array(f.user_ids), id_array_or_null(f.visible), more...);
    };
    const std::string matching = std::string(kFrom) + kMatching;
    Paged<WorkspaceRow> page;
    page.total = select("SELECT count(*)" + matching)[0][0].template as<std::int64_t>();
    const auto offset = page_offset(f.page, page.total);
    DET_TRY(offset);
    page.offset = *offset;
    const std::string way(plain_direction(f.order));
    const std::string order = f.by_name ? "lower(w.name) COLLATE \"C\"" + way + ", w.id" + way : "w.id" + way;
    for (const auto& row : select(std::string(kColumns) + (f.with_counts ? kCounts : "0, 0, pin.pinned_at") + matching +
                                      " ORDER BY " + order + " LIMIT $9::bigint OFFSET $10::bigint",
                                  page_limit(f.page), page.offset)) {
      page.items.push_back(read_workspace(row));
    }
    return page;
  };
  co_return co_await pool_.read("list workspaces", std::move(body));
}

Task<Result<WorkspaceRow>> WorkspaceStore::find(model::WorkspaceId id, model::UserId viewer) {
  auto body = [id, viewer](pg::Transaction& tx) -> Result<WorkspaceRow> {
    const pqxx::result found =
        run_sql(tx, std::string(kColumns) + kCounts + kFrom + "WHERE w.id = $2", viewer.value, id.value);
    if (found.empty()) return not_found("workspace", to_string(id));
    return read_workspace(found[0]);
  };
  co_return co_await pool_.read("find workspace", std::move(body));
}

Task<Result<std::optional<model::UserId>>> WorkspaceStore::owner(model::WorkspaceId id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::optional<model::UserId>> {
    const pqxx::result found = run_sql(tx, kOwner, id.value);
    if (found.empty()) return std::nullopt;
    return model::UserId{found[0][0].as<std::int64_t>()};
  };
  co_return co_await pool_.read("find a workspace's owner", std::move(body));
}

Task<Result<model::WorkspaceId>> WorkspaceStore::create(NewWorkspace workspace) {
  auto body = [w = std::move(workspace)](pg::Transaction& tx) -> Result<model::WorkspaceId> {
    DET_TRY(check_name_is_free(tx, w.name, 0));
    const pqxx::row made = run_sql1(tx, kInsert, w.name, w.owner.value, w.agent.uid, w.agent.gid, w.agent.user,
                                    w.agent.group, w.defaults.compute_pool, w.defaults.aux_pool,
                                    storage_text(w.defaults.checkpoint_storage), w.defaults.ns);
    const model::WorkspaceId id{made[0].as<std::int64_t>()};
    run_sql(tx, kPin, id.value, w.owner.value);
    if (w.owner_role) {
      DET_TRY(assign_roles(tx, {{.role = *w.owner_role, .user = w.owner, .group = {}, .workspace = id}}));
    }
    return id;
  };
  co_return co_await pool_.write_once("create workspace", std::move(body));
}

Task<Status> WorkspaceStore::change(model::WorkspaceId id, WorkspaceChange change) {
  auto body = [id, c = std::move(change)](pg::Transaction& tx) -> Status {
    DET_TRY(lock_open_workspace(tx, id));
    if (c.name) DET_TRY(check_name_is_free(tx, *c.name, id.value));
    const model::AgentAccountOverride account = c.agent.value_or(model::AgentAccountOverride());
    run_sql(tx, kChange, id.value, c.name, c.agent.has_value(), account.uid, account.gid, account.user, account.group,
            c.compute_pool, c.aux_pool, c.checkpoint_storage.has_value(),
            storage_text(c.checkpoint_storage.value_or(nlohmann::json())));
    return {};
  };
  co_return co_await pool_.write("change workspace", std::move(body));
}

Task<Status> WorkspaceStore::bind_namespace(model::WorkspaceId id, std::string ns) {
  auto body = [id, ns](pg::Transaction& tx) -> Status {
    const auto facts = lock_workspace(tx, id);
    DET_TRY(facts);
    if (facts->state == PlaceState::kDeleting) {
      return fail(ErrorCode::kFailedPrecondition, "workspace (" + to_string(id) + ") is being deleted");
    }
    run_sql(tx, kBindNamespace, id.value, ns);
    return {};
  };
  co_return co_await pool_.write("bind a workspace to a namespace", std::move(body));
}

Task<Status> WorkspaceStore::set_archived(model::WorkspaceId id, bool archived) {
  auto body = [id, archived](pg::Transaction& tx) -> Status {
    const auto facts = lock_workspace(tx, id);
    DET_TRY(facts);
    if (facts->immutable) {
      return fail(ErrorCode::kFailedPrecondition, "workspace (" + to_string(id) + ") does not exist or not " +
                                                      (archived ? "archive" : "unarchive") + "-able by this user");
    }
    run_sql(tx, kSetArchived, id.value, archived);
    return {};
  };
  co_return co_await pool_.write("archive workspace", std::move(body));
}

Task<Status> WorkspaceStore::set_pinned(model::WorkspaceId id, model::UserId user, bool pinned) {
  auto body = [=](pg::Transaction& tx) -> Status {
    if (run_sql(tx, kOwner, id.value).empty()) return not_found("workspace", to_string(id));
    run_sql(tx, pinned ? kPin : kUnpin, id.value, user.value);
    return {};
  };
  co_return co_await pool_.write("pin workspace", std::move(body));
}

Task<Result<ProjectPlace>> WorkspaceStore::place(model::ProjectId project) {
  auto body = [project](pg::Transaction& tx) -> Result<ProjectPlace> {
    const pqxx::result found = run_sql(tx, std::string(kPlace) + "p.id = $1", project.value);
    if (found.empty()) return not_found("project", to_string(project));
    return read_place(found[0]);
  };
  co_return co_await pool_.read("find project", std::move(body));
}

Task<Result<ProjectPlace>> WorkspaceStore::place_named(std::string workspace, std::string project) {
  auto body = [=](pg::Transaction& tx) -> Result<ProjectPlace> {
    const pqxx::result found = run_sql(tx, std::string(kPlace) + "w.name = $1 AND p.name = $2", workspace, project);
    if (found.empty()) return not_found("workspace/project", workspace + "/" + project);
    return read_place(found[0]);
  };
  co_return co_await pool_.read("find project", std::move(body));
}

Task<Result<WorkspaceRow>> WorkspaceStore::for_tasks(model::WorkspaceId id) {
  auto body = [id](pg::Transaction& tx) -> Result<WorkspaceRow> {
    const pqxx::result found = run_sql(tx, std::string(kColumns) + kNoCounts + "WHERE w.id = $1", id.value);
    if (found.empty()) return not_found("workspace", to_string(id));
    return read_workspace(found[0]);
  };
  co_return co_await pool_.read("find workspace", std::move(body));
}

Task<Result<WorkspaceRow>> WorkspaceStore::for_tasks_named(std::string name) {
  auto body = [name](pg::Transaction& tx) -> Result<WorkspaceRow> {
    const pqxx::result found = run_sql(tx, std::string(kColumns) + kNoCounts + "WHERE w.name = $1", name);
    if (found.empty()) return not_found("workspace", name);
    return read_workspace(found[0]);
  };
  co_return co_await pool_.read("find workspace", std::move(body));
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
