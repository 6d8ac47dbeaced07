#include "store/access/role_assignment_store.h"

#include <utility>

#include "store/channels.h"
#include "store/sql.h"

namespace det::store {
namespace {

// Indexes role_assignments_user, role_assignments_group and the key of user_group_members.
const char* const kGrants =
    "SELECT role_id, workspace_id FROM role_assignments WHERE user_id = $1 UNION SELECT a.role_id, a.workspace_id FROM "
    "user_group_members m JOIN role_assignments a ON a.group_id = m.group_id WHERE m.user_id = $1";
const char* const kList =
    "SELECT role_id, user_id, group_id, workspace_id FROM role_assignments WHERE ($1::bigint[] = '{}' OR role_id = "
    "ANY($1::bigint[])) AND ($2::bigint IS NULL OR workspace_id = $2) AND ($3::bigint IS NULL OR group_id = $3) AND "
    "($4::bigint IS NULL OR user_id = $4 OR group_id IN (SELECT m.group_id FROM user_group_members m WHERE m.user_id = "
    "$4)) ORDER BY role_id, id";
const char* const kUser = "SELECT 1 FROM users WHERE id = $1 FOR KEY SHARE";
const char* const kGroup = "SELECT 1 FROM user_groups WHERE id = $1 FOR KEY SHARE";
const char* const kWorkspace = "SELECT 1 FROM workspaces WHERE id = $1 FOR KEY SHARE";
const char* const kInsert =
    "INSERT INTO role_assignments (role_id, user_id, group_id, workspace_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO "
    "NOTHING";
const char* const kDelete =
    "DELETE FROM role_assignments WHERE role_id = $1 AND coalesce(user_id, 0) = coalesce($2::bigint, 0) AND "
    "coalesce(group_id, 0) = coalesce($3::bigint, 0) AND coalesce(workspace_id, 0) = coalesce($4::bigint, 0)";
const char* const kTouch = "UPDATE users SET modified_at = now() WHERE id = $1";
const char* const kEnsureAdmin =
    "INSERT INTO role_assignments (role_id, user_id) SELECT $1, u.id FROM users u WHERE u.active AND (u.id = 1 OR "
    "(u.admin AND NOT EXISTS (SELECT FROM users first WHERE first.id = 1 AND first.active))) AND NOT EXISTS (SELECT "
    "FROM role_assignments a LEFT JOIN user_group_members m ON m.group_id = a.group_id JOIN users holder ON holder.id "
    "= coalesce(a.user_id, m.user_id) WHERE a.role_id = $1 AND a.workspace_id IS NULL AND holder.active) ON CONFLICT "
    "DO "
    "NOTHING";

template <typename Id>
std::optional<std::int64_t> value_of(const std::optional<Id>& id) {
  return id ? std::optional(id->value) : std::nullopt;
}

Status check_whom(pg::Transaction& tx, const RoleAssignment& a) {
  if (a.user && run_sql(tx, kUser, a.user->value).empty()) return not_found("user", to_string(*a.user));
  if (a.group && run_sql(tx, kGroup, a.group->value).empty()) return not_found("group", to_string(*a.group));
  if (a.workspace && run_sql(tx, kWorkspace, a.workspace->value).empty()) {
    return not_found("workspace", to_string(*a.workspace));
  }
  return {};
}

std::string text_of(const RoleAssignment& a) {
  const model::Role* const role = model::find_role(a.role);
  return "role '" + (role == nullptr ? to_string(a.role) : role->name) + "' of " +
         (a.user ? "user '" + to_string(*a.user) : "group '" + to_string(a.group.value_or(model::UserGroupId{}))) +
         "'" + (a.workspace ? " in workspace '" + to_string(*a.workspace) + "'" : " everywhere");
}

std::size_t run_with(pg::Transaction& tx, const char* statement, const RoleAssignment& a) {
  return run_sql(tx, statement, a.role.value, value_of(a.user), value_of(a.group), value_of(a.workspace))
      .affected_rows();
}

}  // namespace

Task<Result<model::Grants>> RoleAssignmentStore::grants_of(model::UserId user) {
  auto body = [user](pg::Transaction& tx) -> Result<model::Grants> {
    model::Grants grants;
    for (const auto& row : run_sql(tx, kGrants, user.value)) {
      grants.add({row[0].as<std::int64_t>()}, as_optional_id<model::WorkspaceId>(row[1]));
    }
    return grants;
  };
  co_return co_await pool_.read("read grants", std::move(body));
}

Task<Result<std::vector<RoleAssignment>>> RoleAssignmentStore::list(RoleAssignmentFilter filter) {
  auto body = [f = std::move(filter)](pg::Transaction& tx) -> Result<std::vector<RoleAssignment>> {
    std::vector<RoleAssignment> rows;
    for (const auto& row :
         run_sql(tx, kList, id_array(f.roles), value_of(f.workspace), value_of(f.group), value_of(f.holder))) {
      rows.push_back({.role = {row[0].as<std::int64_t>()},
                      .user = as_optional_id<model::UserId>(row[1]),
                      .group = as_optional_id<model::UserGroupId>(row[2]),
                      .workspace = as_optional_id<model::WorkspaceId>(row[3])});
    }
    return rows;
  };
  co_return co_await pool_.read("list role assignments", std::move(body));
}

Status assign_roles(pg::Transaction& tx, const std::vector<RoleAssignment>& assignments) {
  for (const RoleAssignment& one : assignments) {
    DET_TRY(check_whom(tx, one));
    if (run_with(tx, kInsert, one) == 0) {
      return fail(ErrorCode::kAlreadyExists, text_of(one) + " is assigned already");
    }
    if (one.user) run_sql(tx, kTouch, one.user->value);
  }
  notify(tx, kAccessChannel, {});
  return {};
}

Task<Status> RoleAssignmentStore::add(std::vector<RoleAssignment> assignments) {
  auto body = [a = std::move(assignments)](pg::Transaction& tx) { return assign_roles(tx, a); };
  co_return co_await pool_.write_once("assign roles", std::move(body));
}

Task<Status> RoleAssignmentStore::remove(std::vector<RoleAssignment> assignments) {
  auto body = [a = std::move(assignments)](pg::Transaction& tx) -> Status {
    for (const RoleAssignment& one : a) {
      if (run_with(tx, kDelete, one) == 0) return fail(ErrorCode::kNotFound, text_of(one) + " is not assigned");
      if (one.user) run_sql(tx, kTouch, one.user->value);
    }
    notify(tx, kAccessChannel, {});
    return {};
  };
  co_return co_await pool_.write_once("unassign roles", std::move(body));
}

Task<Result<int>> RoleAssignmentStore::ensure_cluster_admin() {
  auto body = [](pg::Transaction& tx) -> Result<int> {
    const auto given = run_sql(tx, kEnsureAdmin, model::kClusterAdmin.value).affected_rows();
    if (given > 0) notify(tx, kAccessChannel, {});
    return static_cast<int>(given);
  };
  co_return co_await pool_.write("give the first ClusterAdmin", std::move(body));
}

}  // namespace det::store
