#include "store/cluster/config_policy_store.h"

#include "store/sql.h"

namespace det::store {
namespace {

using nlohmann::json;

const char* const kFind =
    "SELECT policy FROM config_policies WHERE coalesce(workspace_id, 0) = $1 AND workload_type = $2";
const char* const kOfProject =
    "SELECT c.workspace_id IS NULL, c.policy FROM config_policies c WHERE c.workload_type = $2 AND "
    "coalesce(c.workspace_id, 0) IN (0, (SELECT workspace_id FROM projects WHERE id = $1))";
const char* const kOfWorkspace =
    "SELECT c.workspace_id IS NULL, c.policy FROM config_policies c WHERE c.workload_type = $2 AND "
    "coalesce(c.workspace_id, 0) IN (0, $1)";
const char* const kHasWorkspace = "SELECT 1 FROM workspaces WHERE id = $1";
const char* const kPut =
    "INSERT INTO config_policies (workspace_id, workload_type, policy, updated_by) VALUES (nullif($1::bigint, 0), $2, "
    "$3, $4) ON CONFLICT (coalesce(workspace_id, 0), workload_type) DO UPDATE SET policy = excluded.policy, "
    "updated_by = excluded.updated_by, updated_at = now()";
const char* const kRemove = "DELETE FROM config_policies WHERE coalesce(workspace_id, 0) = $1 AND workload_type = $2";

// Ids begin at 1.
std::int64_t number_of(PolicyScope scope) {
  return scope ? scope->value : 0;
}

model::ConfigPolicies read_policies(const pqxx::result& rows) {
  model::ConfigPolicies policies;
  for (const auto& row : rows) {
    (row[0].as<bool>() ? policies.global : policies.workspace) = model::read_config_policy(as_json(row[1]));
  }
  return policies;
}

}  // namespace

Task<Result<json>> ConfigPolicyStore::find(PolicyScope scope, model::WorkloadType type) {
  auto body = [scope, type](pg::Transaction& tx) -> Result<json> {
    const pqxx::result found = run_sql(tx, kFind, number_of(scope), word(type));
    if (found.empty()) return json::object();
    return as_json(found[0][0]);
  };
  co_return co_await pool_.read("find config policy", std::move(body));
}

Task<Status> ConfigPolicyStore::put(PolicyScope scope, model::WorkloadType type, json policy, model::UserId by) {
  auto body = [scope, type, policy, by](pg::Transaction& tx) -> Status {
    if (scope && run_sql(tx, kHasWorkspace, scope->value).empty()) return not_found("workspace", to_string(*scope));
    run_sql(tx, kPut, number_of(scope), word(type), json_text(policy), by.value);
    return {};
  };
  co_return co_await pool_.write("set config policy", std::move(body));
}

Task<Status> ConfigPolicyStore::remove(PolicyScope scope, model::WorkloadType type) {
  auto body = [scope, type](pg::Transaction& tx) -> Status {
    run_sql(tx, kRemove, number_of(scope), word(type));
    return {};
  };
  co_return co_await pool_.write("remove config policy", std::move(body));
}

Task<Result<model::ConfigPolicies>> ConfigPolicyStore::of_project(model::ProjectId project, model::WorkloadType type) {
  auto body = [project, type](pg::Transaction& tx) -> Result<model::ConfigPolicies> {
    return read_policies(run_sql(tx, kOfProject, project.value, word(type)));
  };
  co_return co_await pool_.read("find config policies", std::move(body));
}

Task<Result<model::ConfigPolicies>> ConfigPolicyStore::of_workspace(model::WorkspaceId workspace,
                                                                    model::WorkloadType type) {
  auto body = [workspace, type](pg::Transaction& tx) -> Result<model::ConfigPolicies> {
    return read_policies(run_sql(tx, kOfWorkspace, workspace.value, word(type)));
  };
  co_return co_await pool_.read("find config policies", std::move(body));
}

}  // namespace det::store
