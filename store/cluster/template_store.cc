#include "store/cluster/template_store.h"

#include "store/sql.h"

namespace det::store {
namespace {

const char* const kFind = "SELECT name, config, workspace_id, owner_id FROM templates WHERE name = $1";
const char* const kMatching =
    " FROM templates WHERE strpos(lower(name), lower($1)) > 0 AND ($2::bigint[] = '{}' OR workspace_id = ANY($2)) AND "
    "($3::bigint[] IS NULL OR workspace_id = ANY($3::bigint[]))";
const char* const kInsert = "INSERT INTO templates (name, config, workspace_id, owner_id) VALUES ($1, $2, $3, $4)";
const char* const kHasWorkspace = "SELECT 1 FROM workspaces WHERE id = $1";
// A parameter that is NULL: as it is.
const char* const kChange =
    "UPDATE templates SET config = coalesce($2, config), workspace_id = coalesce($3, workspace_id), modified_at = "
    "now() "
    "WHERE name = $1 AND ($4::bigint IS NULL OR owner_id = $4) RETURNING name, config, workspace_id, owner_id";
const char* const kRename =
    "UPDATE templates SET name = $2, modified_at = now() WHERE name = $1 RETURNING name, config, workspace_id, "
    "owner_id";
const char* const kRemove = "DELETE FROM templates WHERE name = $1";

TemplateRow read_template(const pqxx::row& row) {
  return {.name = as_text(row[0]),
          .config = as_json(row[1]),
          .workspace = {row[2].as<std::int64_t>()},
          .owner = as_optional_id<model::UserId>(row[3])};
}

Status check_workspace(pg::Transaction& tx, model::WorkspaceId workspace) {
  if (run_sql(tx, kHasWorkspace, workspace.value).empty()) return not_found("workspace", to_string(workspace));
  return {};
}

Status insert(pg::Transaction& tx, const TemplateRow& row) {
  DET_TRY(check_workspace(tx, row.workspace));
  run_sql(tx, kInsert, row.name, json_text(row.config), row.workspace.value,
          row.owner ? std::optional(row.owner->value) : std::nullopt);
  return {};
}

std::unexpected<Error> name_taken(const std::string& name) {
  return fail(ErrorCode::kAlreadyExists, "template '" + name + "' already exists", "name");
}

// What of a template is to be another.
struct Change {
  std::optional<nlohmann::json> config;
  std::optional<model::WorkspaceId> workspace;
};

// Nothing: there is no such template.
Result<std::optional<TemplateRow>> change(pg::Transaction& tx, const std::string& name, const Change& to,
                                          std::optional<model::UserId> only_of) {
  if (to.workspace) DET_TRY(check_workspace(tx, *to.workspace));
  const auto config = to.config ? std::optional(json_text(*to.config)) : std::nullopt;
  const auto workspace = to.workspace ? std::optional(to.workspace->value) : std::nullopt;
  const auto owner = only_of ? std::optional(only_of->value) : std::nullopt;
  const pqxx::result changed = run_sql(tx, kChange, name, config, workspace, owner);
  if (!changed.empty()) return read_template(changed[0]);
  if (run_sql(tx, kFind, name).empty()) return std::nullopt;
  return fail(ErrorCode::kPermissionDenied,
              "template '" + name + "' is somebody else's: only its owner and admins can change it", "name");
}

}  // namespace

Task<Result<std::optional<TemplateRow>>> TemplateStore::find(std::string name) {
  auto body = [name](pg::Transaction& tx) -> Result<std::optional<TemplateRow>> {
    const pqxx::result found = run_sql(tx, kFind, name);
    if (found.empty()) return std::nullopt;
    return read_template(found[0]);
  };
  co_return co_await pool_.read("find template", std::move(body));
}

Task<Result<Paged<TemplateRow>>> TemplateStore::list(TemplateFilter filter) {
  auto body = [filter](pg::Transaction& tx) -> Result<Paged<TemplateRow>> {
    const std::string workspaces = id_array(filter.workspaces);
    const auto visible = id_array_or_null(filter.visible);
    Paged<TemplateRow> page;
    page.total = run_sql1(tx, "SELECT count(*)" + std::string(kMatching), filter.name_part, workspaces, visible)[0]
                     .as<std::int64_t>();
    const auto offset = page_offset(filter.page, page.total);
    DET_TRY(offset);
    page.offset = *offset;
    const std::string select = "SELECT name, config, workspace_id, owner_id" + std::string(kMatching) +
                               " ORDER BY name" + std::string(direction(filter.order)) + " LIMIT $4 OFFSET $5";
    for (const auto& row :
         run_sql(tx, select, filter.name_part, workspaces, visible, page_limit(filter.page), page.offset)) {
      page.items.push_back(read_template(row));
    }
    return page;
  };
  co_return co_await pool_.read("list templates", std::move(body));
}

Task<Status> TemplateStore::create(TemplateRow row) {
  auto body = [row](pg::Transaction& tx) -> Status {
    if (!run_sql(tx, kFind, row.name).empty()) return name_taken(row.name);
    return insert(tx, row);
  };
  co_return co_await pool_.write_once("create template", std::move(body));
}

Task<Result<TemplateRow>> TemplateStore::set_config(std::string name, nlohmann::json config,
                                                    std::optional<model::UserId> only_of) {
  auto body = [=](pg::Transaction& tx) -> Result<TemplateRow> {
    auto changed = change(tx, name, {.config = config, .workspace = {}}, only_of);
    DET_TRY(changed);
    if (!*changed) return not_found("template", name);
    return std::move(**changed);
  };
  co_return co_await pool_.write("change template", std::move(body));
}

Task<Result<TemplateRow>> TemplateStore::put(TemplateRow row, std::optional<model::UserId> only_of) {
  auto body = [row, only_of](pg::Transaction& tx) -> Result<TemplateRow> {
    Change to;
    if (row.config.is_object()) to.config = row.config;
    if (row.workspace.value != 0) to.workspace = row.workspace;
    auto changed = change(tx, row.name, to, only_of);
    DET_TRY(changed);
    if (*changed) return std::move(**changed);
    if (!to.config || !to.workspace) return not_found("template", row.name);
    DET_TRY(insert(tx, row));
    return row;
  };
  co_return co_await pool_.write("put template", std::move(body));
}

Task<Result<TemplateRow>> TemplateStore::rename(std::string name, std::string new_name) {
  auto body = [name, new_name](pg::Transaction& tx) -> Result<TemplateRow> {
    if (name != new_name && !run_sql(tx, kFind, new_name).empty()) return name_taken(new_name);
    const pqxx::result changed = run_sql(tx, kRename, name, new_name);
    if (changed.empty()) return not_found("template", name);
    return read_template(changed[0]);
  };
  co_return co_await pool_.write_once("rename template", std::move(body));
}

Task<Status> TemplateStore::remove(std::string name) {
  auto body = [name](pg::Transaction& tx) -> Status {
    return changed_one(run_sql(tx, kRemove, name), "template", name);
  };
  co_return co_await pool_.write_once("remove template", std::move(body));
}

}  // namespace det::store
