// Roles, and who has them, to read.

#include <algorithm>
#include <set>

#include "api/access/access_forms.h"
#include "api/access/routes.h"
#include "api/access_check.h"
#include "api/arguments.h"
#include "api/body.h"
#include "api/id_list.h"
#include "api/views.h"

namespace det::api::routes {

namespace {

using model::Permission;
using store::RoleAssignment;

constexpr std::int64_t kMostListed = 500;

bool knows_all_roles(const Identity& caller) {
  return !caller.grants || caller.grants->somewhere(Permission::kAssignRoles) ||
         caller.grants->somewhere(Permission::kUpdateRoles);
}

bool by_name(const model::Role* a, const model::Role* b) {
  return a->name < b->name;
}

Task<Result<std::vector<RoleAssignment>>> assignments_of(ApiServices& services, model::UserId user) {
  store::RoleAssignmentFilter filter;
  filter.holder = user;
  co_return co_await services.stores.role_assignments.list(std::move(filter));
}

// The page of roles that a body asks for.
Result<http::Response> answer_page(std::vector<const model::Role*> roles, wire::RequestFields fields) {
  std::ranges::sort(roles, by_name);
  const store::Page page{.offset = fields.integer("offset").value_or(0),
                         .limit = fields.integer("limit").value_or(kMostListed)};
  DET_TRY(fields.status());
  const std::int64_t limit = page.limit <= 0 ? kMostListed : page.limit;
  store::Paged<wire::Json> given;
  given.total = std::ssize(roles);
  given.offset = page.offset < 0 ? std::max<std::int64_t>(0, given.total + page.offset) : page.offset;
  for (std::int64_t i = given.offset; i < given.total && std::ssize(given.items) < limit; ++i) {
    given.items.push_back(role_json(*roles[static_cast<std::size_t>(i)]));
  }
  return ok({{"roles", given.items}, {"pagination", pagination(page, given)}});
}

bool names(const std::string& part, const std::string& in) {
  return part.empty() || in.contains(part);
}

struct Members {
  wire::Json groups = wire::Json::array();
  wire::Json users = wire::Json::array();
  std::set<std::int64_t> group_ids;
  std::set<std::int64_t> user_ids;

  [[nodiscard]] bool have(const RoleAssignment& a) const {
    return a.user ? user_ids.contains(a.user->value) : group_ids.contains(a.group->value);
  }
};

// The users and groups of these assignments whose names hold `part`.
Task<Result<Members>> members_of(ApiServices& services, std::vector<RoleAssignment> assignments, std::string part) {
  std::set<model::UserGroupId> group_ids;
  std::set<model::UserId> user_ids;
  for (const RoleAssignment& a : assignments) {
    if (a.group) group_ids.insert(*a.group);
    if (a.user) user_ids.insert(*a.user);
  }
  Members members;
  std::vector<model::UserGroupId> wanted(group_ids.begin(), group_ids.end());
  const auto groups = co_await services.stores.user_groups.find_all(std::move(wanted));
  DET_CO_TRY(groups);
  for (const store::UserGroupDetails& group : *groups) {
    if (!names(part, group.group.name)) continue;
    members.groups.push_back(group_json(group));
    members.group_ids.insert(group.group.id.value);
  }
  const auto users = co_await services.stores.users.list();
  DET_CO_TRY(users);
  for (const store::UserRow& user : users->items) {
    if (!user_ids.contains(user.id)) continue;
    if (!names(part, user.display_name) && !names(part, user.username)) continue;
    members.users.push_back(wire::to_json(to_wire(user)));
    members.user_ids.insert(user.id.value);
  }
  co_return members;
}

}  // namespace

Task<Result<http::Response>> permissions_summary(ApiServices& services, Call call) {
  const auto assignments = co_await assignments_of(services, call.caller.user.id);
  DET_CO_TRY(assignments);
  co_return ok(summary_json(*assignments));
}

// Nobody and nothing for who may not look at the workspace, as upstream's.
Task<Result<http::Response>> workspace_members(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  std::string part = QueryArguments(call.request.query).text("name").value_or("");
  store::RoleAssignmentFilter filter;
  filter.workspace = model::WorkspaceId{*id};
  std::vector<RoleAssignment> assignments;
  if (may(call.caller, Permission::kViewWorkspace, *filter.workspace)) {
    auto found = co_await services.stores.role_assignments.list(std::move(filter));
    DET_CO_TRY(found);
    assignments = std::move(*found);
  }
  const auto members = co_await members_of(services, assignments, std::move(part));
  DET_CO_TRY(members);
  std::erase_if(assignments, [&](const RoleAssignment& a) { return !members->have(a); });
  co_return ok({{"groups", members->groups},
                {"usersAssignedDirectly", members->users},
                {"assignments", roles_with_json(assignments)}});
}

// Who cannot assign roles sees of a role that they have themselves who it is that they have it by: others' are not
// theirs to see.
Task<Result<http::Response>> roles_by_ids(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const auto ids = read_id_list(fields.any("roleIds"), "roleIds");
  DET_CO_TRY(ids);
  const bool knows_all = knows_all_roles(call.caller);
  store::RoleAssignmentFilter filter;
  for (const std::int64_t id : *ids) {
    if (model::find_role({id}) == nullptr) co_return fail(ErrorCode::kNotFound, "not found", "roleIds");
    filter.roles.push_back({id});
  }
  if (ids->empty()) {
    for (const model::Role& role : model::all_roles()) filter.roles.push_back(role.id);
  }
  const std::vector<model::RoleId> roles = filter.roles;
  if (!knows_all) filter.holder = call.caller.user.id;
  const auto found = co_await services.stores.role_assignments.list(std::move(filter));
  DET_CO_TRY(found);
  wire::Json answer = wire::Json::array();
  for (const model::RoleId id : std::set<model::RoleId>(roles.begin(), roles.end())) {
    std::vector<RoleAssignment> of;
    std::ranges::copy_if(*found, std::back_inserter(of), [id](const RoleAssignment& a) { return a.role == id; });
    if (!knows_all && of.empty()) co_return access_denied(Permission::kAssignRoles);
    answer.push_back(role_with_json(*model::find_role(id), of));
  }
  co_return ok({{"roles", std::move(answer)}});
}

Task<Result<http::Response>> roles_of_user(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const bool is_own = call.caller.user.id.value == *id;
  if (call.caller.grants && !is_own && !call.caller.grants->somewhere(Permission::kAssignRoles)) {
    co_return access_denied(Permission::kAssignRoles);
  }
  const auto assignments = co_await assignments_of(services, {*id});
  DET_CO_TRY(assignments);
  co_return ok({{"roles", roles_with_json(*assignments)}});
}

Task<Result<http::Response>> roles_of_group(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const model::UserGroupId group{*id};
  if (call.caller.grants && !call.caller.grants->somewhere(Permission::kAssignRoles)) {
    const auto is_in = co_await services.stores.user_groups.is_member(group, call.caller.user.id);
    DET_CO_TRY(is_in);
    if (!*is_in) co_return fail(ErrorCode::kNotFound, "group '" + to_string(group) + "' not found");
  }
  store::RoleAssignmentFilter filter;
  filter.group = group;
  const auto assignments = co_await services.stores.role_assignments.list(std::move(filter));
  DET_CO_TRY(assignments);
  co_return ok(summary_json(*assignments));
}

Task<Result<http::Response>> assignable_roles(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const auto workspace = fields.integer("workspaceId");
  DET_CO_TRY(fields.status());
  DET_CO_TRY(workspace ? require(call.caller, Permission::kViewWorkspace, model::WorkspaceId{*workspace})
                       : require(call.caller, Permission::kViewWorkspace));
  std::vector<const model::Role*> roles;
  for (const model::Role& role : model::all_roles()) {
    if (!workspace || !role.is_global_only()) roles.push_back(&role);
  }
  co_return answer_page(std::move(roles), fields);
}

Task<Result<http::Response>> search_roles(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  std::set<model::RoleId> own;
  const bool knows_all = knows_all_roles(call.caller);
  if (!knows_all) {
    const auto assignments = co_await assignments_of(services, call.caller.user.id);
    DET_CO_TRY(assignments);
    for (const RoleAssignment& a : *assignments) own.insert(a.role);
  }
  std::vector<const model::Role*> roles;
  for (const model::Role& role : model::all_roles()) {
    if (knows_all || own.contains(role.id)) roles.push_back(&role);
  }
  co_return answer_page(std::move(roles), wire::RequestFields(*body));
}

}  // namespace det::api::routes
