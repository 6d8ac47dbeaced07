#include "store/cluster/pool_binding_store.h"

#include <algorithm>
#include <optional>
#include <set>

#include "store/sql.h"

namespace det::store {
namespace {

const char* const kAll = "SELECT pool, workspace_id FROM pool_bindings ORDER BY pool, workspace_id";
// Deleted meanwhile, they would bind the pool to nobody.
const char* const kNamed = "SELECT id FROM workspaces WHERE name = $1 FOR KEY SHARE";
const char* const kKnown = "SELECT id FROM workspaces WHERE id = $1 FOR KEY SHARE";
const char* const kInsert =
    "INSERT INTO pool_bindings (pool, workspace_id) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING RETURNING "
    "workspace_id";
const char* const kClear = "DELETE FROM pool_bindings WHERE pool = $1";
const char* const kRemove =
    "DELETE FROM pool_bindings WHERE pool = $1 AND workspace_id = ANY($2::bigint[]) RETURNING workspace_id";
const char* const kAdmits =
    "SELECT NOT EXISTS (SELECT 1 FROM pool_bindings WHERE pool = $1) OR EXISTS (SELECT 1 FROM pool_bindings WHERE pool "
    "= $1 AND workspace_id = $2)";

// Each once, by id.
Result<std::vector<model::WorkspaceId>> found(pg::Transaction& tx, const PoolBindingStore::Workspaces& wanted) {
  std::vector<model::WorkspaceId> ids;
  for (const std::string& name : wanted.names) {
    const pqxx::result row = run_sql(tx, kNamed, name);
    if (row.empty()) return not_found("workspace", name);
    ids.push_back({row[0][0].as<std::int64_t>()});
  }
  for (const model::WorkspaceId id : wanted.ids) {
    if (run_sql(tx, kKnown, id.value).empty()) return not_found("workspace", to_string(id));
    ids.push_back(id);
  }
  std::ranges::sort(ids);
  const auto repeated = std::ranges::unique(ids);
  ids.erase(repeated.begin(), repeated.end());
  return ids;
}

// The first of those that a statement was to change and did not.
std::optional<model::WorkspaceId> first_left_out(const std::vector<model::WorkspaceId>& ids,
                                                 const pqxx::result& changed) {
  std::set<std::int64_t> done;
  for (const auto& row : changed) done.insert(row[0].as<std::int64_t>());
  const auto left = std::ranges::find_if(ids, [&](model::WorkspaceId id) { return !done.contains(id.value); });
  return left == ids.end() ? std::nullopt : std::optional(*left);
}

}  // namespace

Task<Result<PoolBindings>> PoolBindingStore::all() {
  auto body = [](pg::Transaction& tx) -> Result<PoolBindings> {
    PoolBindings bindings;
    for (const auto& row : run_sql(tx, kAll)) {
      bindings[as_text(row[0])].push_back({row[1].as<std::int64_t>()});
    }
    return bindings;
  };
  co_return co_await pool_.read("list pool bindings", std::move(body));
}

Task<Status> PoolBindingStore::bind(std::string pool, Workspaces workspaces) {
  auto body = [pool, workspaces](pg::Transaction& tx) -> Status {
    const auto ids = found(tx, workspaces);
    DET_TRY(ids);
    const auto there = first_left_out(*ids, run_sql(tx, kInsert, pool, id_array(*ids)));
    if (!there) return {};
    return fail(ErrorCode::kAlreadyExists,
                "resource pool " + pool + " is already bound to workspace " + to_string(*there));
  };
  co_return co_await pool_.write_once("bind a pool", std::move(body));
}

Task<Status> PoolBindingStore::replace(std::string pool, Workspaces workspaces) {
  auto body = [pool, workspaces](pg::Transaction& tx) -> Status {
    const auto ids = found(tx, workspaces);
    DET_TRY(ids);
    run_sql(tx, kClear, pool);
    run_sql(tx, kInsert, pool, id_array(*ids));
    return {};
  };
  co_return co_await pool_.write("replace a pool's bindings", std::move(body));
}

Task<Status> PoolBindingStore::unbind(std::string pool, Workspaces workspaces) {
  auto body = [pool, workspaces](pg::Transaction& tx) -> Status {
    const auto ids = found(tx, workspaces);
    DET_TRY(ids);
    const auto missing = first_left_out(*ids, run_sql(tx, kRemove, pool, id_array(*ids)));
    if (!missing) return {};
    return fail(ErrorCode::kNotFound,
                "workspace with id " + to_string(*missing) + " and pool with name " + pool + " binding doesn't exist");
  };
  co_return co_await pool_.write_once("unbind a pool", std::move(body));
}

Task<Result<bool>> PoolBindingStore::admits(std::string pool, model::WorkspaceId workspace) {
  auto body = [pool, workspace](pg::Transaction& tx) -> Result<bool> {
    return run_sql1(tx, kAdmits, pool, workspace.value)[0].as<bool>();
  };
  co_return co_await pool_.read("look at a pool's bindings", std::move(body));
}

}  // namespace det::store
