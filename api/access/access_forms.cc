#include "api/access/access_forms.h"

#include <set>
#include <string>
#include <utility>

#include "api/views.h"

namespace det::api {

namespace {

// What is assigned to one workspace must make sense there.
wire::Json scope_json(bool is_global_only) {
  return {{"cluster", true}, {"workspace", !is_global_only}};
}

wire::Json assignment_json(const store::RoleAssignment& a, const model::Role& role) {
  return {{"role", role_json(role)},
          {"scopeWorkspaceId", a.workspace ? wire::Json(a.workspace->value) : wire::Json()},
          {"scopeCluster", !a.workspace.has_value()}};
}

std::unexpected<Error> wrong(const std::string& field, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, field + ": " + what, field);
}

// {"role": {"roleId"}, "scopeWorkspaceId"}
Status read_scope(const wire::Json& given, const std::string& path, store::RoleAssignment& into) {
  wire::RequestFields fields(given, path + ".");
  fields.require("role");
  wire::RequestFields role_fields = fields.object("role");
  const auto workspace = fields.integer("scopeWorkspaceId");
  const bool everywhere = fields.boolean("scopeCluster").value_or(false);
  const auto role_id = role_fields.integer("roleId");
  DET_TRY(fields.status());
  DET_TRY(role_fields.status());
  if (!role_id) return wrong(path + ".role.roleId", "missing argument: roleId");
  const model::Role* const role = model::find_role({*role_id});
  if (role == nullptr) return wrong(path + ".role.roleId", "there is no role with the id " + std::to_string(*role_id));
  if (workspace && everywhere) {
    return wrong(path + ".scopeCluster", "a role is assigned everywhere or to the workspace, not both");
  }
  if (workspace && role->is_global_only()) {
    return wrong(path + ".scopeWorkspaceId", "a global-only permission cannot be assigned to a local scope: " +
                                                 role->name + " is assigned without a workspace");
  }
  into.role = role->id;
  if (workspace) into.workspace = model::WorkspaceId{*workspace};
  return {};
}

Status read_list(wire::RequestFields& body, const std::string& name, const char* whom,
                 std::vector<store::RoleAssignment>& into) {
  const wire::Json* const list = body.any(name);
  if (list == nullptr) return {};
  if (!list->is_array()) return wrong(name, "expected a list");
  if (list->size() + into.size() > store::RoleAssignmentStore::kMostAtOnce) {
    return wrong(name, "up to " + std::to_string(store::RoleAssignmentStore::kMostAtOnce) + " in one request work");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string path = name + "[" + std::to_string(i) + "]";
    if (!(*list)[i].is_object()) return wrong(path, "expected an object");
    wire::RequestFields fields((*list)[i], path + ".");
    fields.require(whom);
    const auto id = fields.integer(whom);
    const wire::Json* const scope = fields.any("roleAssignment");
    DET_TRY(fields.status());
    if (scope == nullptr || !scope->is_object()) return wrong(path + ".roleAssignment", "expected an object");
    store::RoleAssignment one{.role = {}, .user = {}, .group = {}, .workspace = {}};
    if (std::string_view(whom) == "userId") {
      one.user = model::UserId{id.value_or(0)};
    } else {
      one.group = model::UserGroupId{id.value_or(0)};
    }
    DET_TRY(read_scope(*scope, path + ".roleAssignment", one));
    into.push_back(one);
  }
  return {};
}

// Runs of the same role.
template <typename Take>
void by_role(const std::vector<store::RoleAssignment>& assignments, Take take) {
  for (auto at = assignments.begin(); at != assignments.end();) {
    auto end = at;
    while (end != assignments.end() && end->role == at->role) ++end;
    if (const model::Role* const role = model::find_role(at->role)) {
      take(*role, std::vector<store::RoleAssignment>(at, end));
    }
    at = end;
  }
}

}  // namespace

wire::Json role_json(const model::Role& role) {
  wire::Json permissions = wire::Json::array();
  for (const model::Permission one : role.permissions) {
    const model::PermissionInfo& info = model::info_of(one);
    permissions.push_back({{"id", info.word}, {"name", info.name}, {"scopeTypeMask", scope_json(info.is_global_only)}});
  }
  return {{"roleId", role.id.value},
          {"name", role.name},
          {"permissions", std::move(permissions)},
          {"scopeTypeMask", scope_json(role.is_global_only())}};
}

wire::Json group_json(const store::UserGroupDetails& group) {
  wire::Json users = wire::Json::array();
  for (const store::UserRow& user : group.users) users.push_back(wire::to_json(to_wire(user)));
  return {{"groupId", group.group.id.value}, {"name", group.group.name}, {"users", std::move(users)}};
}

wire::Json role_with_json(const model::Role& role, const std::vector<store::RoleAssignment>& assignments) {
  wire::Json groups = wire::Json::array();
  wire::Json users = wire::Json::array();
  for (const store::RoleAssignment& a : assignments) {
    if (a.user) users.push_back({{"userId", a.user->value}, {"roleAssignment", assignment_json(a, role)}});
    if (a.group) groups.push_back({{"groupId", a.group->value}, {"roleAssignment", assignment_json(a, role)}});
  }
  return {{"role", role_json(role)},
          {"groupRoleAssignments", std::move(groups)},
          {"userRoleAssignments", std::move(users)}};
}

wire::Json roles_with_json(const std::vector<store::RoleAssignment>& assignments) {
  wire::Json roles = wire::Json::array();
  by_role(assignments, [&](const model::Role& role, const std::vector<store::RoleAssignment>& of) {
    roles.push_back(role_with_json(role, of));
  });
  return roles;
}

wire::Json summary_json(const std::vector<store::RoleAssignment>& assignments) {
  wire::Json roles = wire::Json::array();
  wire::Json summaries = wire::Json::array();
  by_role(assignments, [&](const model::Role& role, const std::vector<store::RoleAssignment>& of) {
    std::set<std::int64_t> workspaces;
    bool everywhere = false;
    for (const store::RoleAssignment& a : of) {
      if (a.workspace) {
        workspaces.insert(a.workspace->value);
      } else {
        everywhere = true;
      }
    }
    roles.push_back(role_json(role));
    summaries.push_back({{"roleId", role.id.value}, {"scopeWorkspaceIds", workspaces}, {"scopeCluster", everywhere}});
  });
  return {{"roles", std::move(roles)}, {"assignments", std::move(summaries)}};
}

Result<std::vector<store::RoleAssignment>> read_assignments(const wire::Json& body) {
  wire::RequestFields fields(body);
  std::vector<store::RoleAssignment> all;
  DET_TRY(read_list(fields, "groupRoleAssignments", "groupId", all));
  DET_TRY(read_list(fields, "userRoleAssignments", "userId", all));
  if (all.empty()) {
    return fail(ErrorCode::kInvalidArgument, "must specify at least one group or user assignment",
                "userRoleAssignments");
  }
  return all;
}

}  // namespace det::api
