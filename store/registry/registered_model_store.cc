#include "store/registry/registered_model_store.h"

#include <utility>

#include "base/parse_integer.h"
#include "store/sql.h"

namespace det::store {
namespace {

const char* const kSelect =
    "SELECT m.id, m.name, m.description, m.metadata, to_json(m.labels), m.notes, m.owner_id, u.username, "
    "m.workspace_id, m.archived, (SELECT count(*) FROM model_versions v WHERE v.model_id = m.id) AS versions, "
    "m.created_at, m.changed_at FROM models m JOIN users u ON u.id = m.owner_id JOIN workspaces w ON w.id = "
    "m.workspace_id ";
const char* const kMatching =
    "WHERE ($1::bigint IS NULL OR m.id = $1) AND strpos(lower(m.name), lower($2)) > 0 AND strpos(lower(m.description), "
    "lower($3)) > 0 AND ($4::text[] = '{}' OR m.labels && $4::text[]) AND ($5::boolean IS NULL OR m.archived = $5) AND "
    "($6::text[] = '{}' OR u.username = ANY($6::text[])) AND ($7::bigint[] = '{}' OR m.owner_id = ANY($7::bigint[])) "
    "AND ($8::bigint[] IS NULL OR m.workspace_id = ANY($8::bigint[])) ";
const char* const kCount = "SELECT count(*) FROM models m JOIN users u ON u.id = m.owner_id ";
const char* const kLabels =
    "SELECT label FROM models m, unnest(m.labels) AS label WHERE ($1::bigint[] IS NULL OR m.workspace_id = "
    "ANY($1::bigint[])) AND octet_length(label) <= 1000 GROUP BY label ORDER BY count(DISTINCT m.id) DESC, label "
    "LIMIT 5000";
const char* const kWorkspace = "SELECT state FROM workspaces WHERE id = $1 FOR SHARE";
// Nothing when the name is taken, also by who is just writing it.
const char* const kInsert =
    "INSERT INTO models (name, description, metadata, labels, notes, owner_id, workspace_id) VALUES ($1, $2, $3, "
    "$4::text[], $5, $6, $7) ON CONFLICT (name) DO NOTHING RETURNING id";
const char* const kLock = "SELECT name, archived FROM models WHERE id = $1 FOR UPDATE";
const char* const kIsTaken = "SELECT 1 FROM models WHERE name = $1 AND id <> $2";
const char* const kChange =
    "UPDATE models SET name = coalesce($2, name), description = coalesce($3, description), metadata = "
    "coalesce($4::jsonb, metadata), labels = coalesce($5::text[], labels), notes = coalesce($6, notes), workspace_id = "
    "coalesce($7::bigint, workspace_id), changed_at = now() WHERE id = $1 AND (name, description, metadata, labels, "
    "notes, workspace_id) IS DISTINCT FROM (coalesce($2, name), coalesce($3, description), coalesce($4::jsonb, "
    "metadata), coalesce($5::text[], labels), coalesce($6, notes), coalesce($7::bigint, workspace_id))";
const char* const kMove = "UPDATE models SET workspace_id = $2, changed_at = now() WHERE id = $1";
const char* const kArchive = "UPDATE models SET archived = $2, changed_at = now() WHERE id = $1";
const char* const kRemove = "DELETE FROM models WHERE id = $1";

RegisteredModelRow read_model(const pqxx::row& row) {
  return {.id = {row[0].as<std::int64_t>()},
          .name = as_text(row[1]),
          .description = as_text(row[2]),
          .metadata = as_json(row[3]),
          .labels = as_json(row[4]).get<std::vector<std::string>>(),
          .notes = as_text(row[5]),
          .owner = {row[6].as<std::int64_t>()},
          .owner_name = as_text(row[7]),
          .workspace = {row[8].as<std::int64_t>()},
          .archived = row[9].as<bool>(),
          .versions = row[10].as<std::int64_t>(),
          .created_at = as_time(row[11]),
          .changed_at = as_time(row[12])};
}

std::string order_by(RegisteredModelSort sort, Order order) {
  const auto column = [sort] {
    switch (sort) {
      case RegisteredModelSort::kId:
        return "m.id";
      case RegisteredModelSort::kName:
        return "m.name";
      case RegisteredModelSort::kDescription:
        return "m.description";
      case RegisteredModelSort::kCreationTime:
        return "m.created_at";
      case RegisteredModelSort::kChangeTime:
        return "m.changed_at";
      case RegisteredModelSort::kVersions:
        return "versions";
      case RegisteredModelSort::kWorkspace:
        return "w.name";
    }
    return "m.id";
  };
  const std::string way(plain_direction(order));
  return std::string("ORDER BY ") + column() + way + ", m.id" + way;
}

std::unexpected<Error> name_taken() {
  return fail(ErrorCode::kAlreadyExists, "avoid names equal to other models (case-sensitive)", "name");
}

Status check_workspace(pg::Transaction& tx, model::WorkspaceId workspace) {
  const pqxx::result found = run_sql(tx, kWorkspace, workspace.value);
  if (found.empty()) return not_found("workspace", to_string(workspace));
  if (as_text(found[0][0]) != "DELETING") return {};
  return fail(ErrorCode::kFailedPrecondition, "workspace (" + to_string(workspace) + ") is being deleted");
}

RegisteredModelRow read_one(pg::Transaction& tx, std::int64_t id) {
  return read_model(run_sql1(tx, std::string(kSelect) + "WHERE m.id = $1", id));
}

template <typename T>
std::optional<std::string> array_or_null(const std::optional<std::vector<T>>& values, auto print) {
  return values ? std::optional(print(*values)) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> read_model_id(std::string_view identifier) {
  return identifier.starts_with('-') ? std::nullopt : parse_integer(identifier);
}

Task<Result<std::optional<RegisteredModelRow>>> RegisteredModelStore::find(std::string identifier) {
  auto body = [identifier](pg::Transaction& tx) -> Result<std::optional<RegisteredModelRow>> {
    const auto id = read_model_id(identifier);
    const pqxx::result found = id ? run_sql(tx, std::string(kSelect) + "WHERE m.id = $1", *id)
                                  : run_sql(tx, std::string(kSelect) + "WHERE m.name = $1", identifier);
    if (found.empty()) return std::nullopt;
    return read_model(found[0]);
  };
  co_return co_await pool_.read("find model", std::move(body));
}

Task<Result<Paged<RegisteredModelRow>>> RegisteredModelStore::list(RegisteredModelFilter filter) {
  auto body = [f = std::move(filter)](pg::Transaction& tx) -> Result<Paged<RegisteredModelRow>> {
    const auto id = f.id ? std::optional(f.id->value) : std::nullopt;
    const std::string labels = text_array(f.labels);
    const std::string names = text_array(f.owner_names);
    const std::string owners = id_array(f.owners);
    const auto workspaces = id_array_or_null(f.workspaces);
    Paged<RegisteredModelRow> page;
    page.total = run_sql1(tx, std::string(kCount) + kMatching, id, f.name_part, f.description_part, labels, f.archived,
                          names, owners, workspaces)[0]
                     .as<std::int64_t>();
    const auto offset = page_offset(f.page, page.total);
    DET_TRY(offset);
    page.offset = *offset;
    const std::string select = std::string(kSelect) + kMatching + order_by(f.sort, f.order) + " LIMIT $9 OFFSET $10";
    for (const auto& row : run_sql(tx, select, id, f.name_part, f.description_part, labels, f.archived, names, owners,
                                   workspaces, page_limit(f.page), page.offset)) {
      page.items.push_back(read_model(row));
    }
    return page;
  };
  co_return co_await pool_.read("list models", std::move(body));
}

Task<Result<std::vector<std::string>>> RegisteredModelStore::labels(
    std::optional<std::vector<model::WorkspaceId>> workspaces) {
  auto body = [workspaces](pg::Transaction& tx) -> Result<std::vector<std::string>> {
    std::vector<std::string> labels;
    for (const auto& row : run_sql(tx, kLabels, id_array_or_null(workspaces))) labels.push_back(as_text(row[0]));
    return labels;
  };
  co_return co_await pool_.read("labels of models", std::move(body));
}

Task<Result<RegisteredModelRow>> RegisteredModelStore::create(NewRegisteredModel model) {
  auto body = [m = std::move(model)](pg::Transaction& tx) -> Result<RegisteredModelRow> {
    DET_TRY(check_workspace(tx, m.workspace));
    const pqxx::result made = run_sql(tx, kInsert, m.name, m.description, json_text(m.metadata), text_array(m.labels),
                                      m.notes, m.owner.value, m.workspace.value);
    if (made.empty()) return name_taken();
    return read_one(tx, made[0][0].as<std::int64_t>());
  };
  co_return co_await pool_.write_once("create model", std::move(body));
}

Task<Result<RegisteredModelRow>> RegisteredModelStore::change(model::RegisteredModelId id, RegisteredModelPatch patch) {
  auto body = [id, p = std::move(patch)](pg::Transaction& tx) -> Result<RegisteredModelRow> {
    const pqxx::result found = run_sql(tx, kLock, id.value);
    if (found.empty()) return not_found("model", to_string(id));
    if (found[0][1].as<bool>()) {
      return fail(ErrorCode::kFailedPrecondition,
                  "model \"" + as_text(found[0][0]) + "\" is archived and cannot have attributes updated");
    }
    if (p.name && !run_sql(tx, kIsTaken, *p.name, id.value).empty()) return name_taken();
    if (p.workspace) DET_TRY(check_workspace(tx, *p.workspace));
    const auto metadata = p.metadata ? std::optional(json_text(*p.metadata)) : std::nullopt;
    const auto labels =
        array_or_null(p.labels, [](const std::vector<std::string>& texts) { return text_array(texts); });
    const auto workspace = p.workspace ? std::optional(p.workspace->value) : std::nullopt;
    run_sql(tx, kChange, id.value, p.name, p.description, metadata, labels, p.notes, workspace);
    return read_one(tx, id.value);
  };
  co_return co_await pool_.write("change model", std::move(body));
}

Task<Status> RegisteredModelStore::move(model::RegisteredModelId id, model::WorkspaceId workspace) {
  auto body = [id, workspace](pg::Transaction& tx) -> Status {
    DET_TRY(check_workspace(tx, workspace));
    return changed_one(run_sql(tx, kMove, id.value, workspace.value), "model", to_string(id));
  };
  co_return co_await pool_.write("move model", std::move(body));
}

Task<Status> RegisteredModelStore::set_archived(model::RegisteredModelId id, bool archived) {
  auto body = [id, archived](pg::Transaction& tx) -> Status {
    return changed_one(run_sql(tx, kArchive, id.value, archived), "model", to_string(id));
  };
  co_return co_await pool_.write("archive model", std::move(body));
}

Task<Status> RegisteredModelStore::remove(model::RegisteredModelId id) {
  auto body = [id](pg::Transaction& tx) -> Status {
    return changed_one(run_sql(tx, kRemove, id.value), "model", to_string(id));
  };
  co_return co_await pool_.write_once("remove model", std::move(body));
}

}  // namespace det::store
