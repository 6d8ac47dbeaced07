// det rbac.

#include <map>

#include "cli/login.h"
#include "cli/not_empty.h"
#include "cli/posted_pages.h"
#include "cli/program.h"
#include "cli/role_lookup.h"
#include "cli/thing_names.h"
#include "cli/user_lookup.h"
#include "cli/workspace_lookup.h"

namespace det::cli {
namespace {

constexpr const char* kWhat = "RBAC commands";

struct JsonOptions {
  bool as_json = false;
};

struct ListOptions {
  bool without_global = false;
  bool as_json = false;
  PageOptions pages;
};

struct NameOptions {
  std::string name;
  bool as_json = false;
};

struct AssignOptions {
  std::string role;
  std::string workspace;
  std::string username;
  std::string group;
};

Task<Result<Session>> open(Invocation in) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  DET_CO_TRY(co_await check_roles_are_shown(session->client, kWhat));
  co_return session;
}

Table permission_table(const Json& permissions) {
  Table table{.headers = {"Id", "Name", "Scopetypemask"}, .rows = {}};
  for (const Json& one : permissions) {
    table.rows.push_back({field(one, "id"), field(one, "name"), cell_of(field(one, "scopeTypeMask"))});
  }
  return table;
}

void print_role(World& world, const Json& role) {
  world.out << "role '" << text_field(role, "name") << "' with ID " << integer_field(role, "roleId")
            << " with permissions\n";
  print_table(world, permission_table(field(role, "permissions")), false);
  world.out << "\n";
}

Task<Result<int>> my_permissions(Invocation in, JsonOptions options) {
  auto session = co_await open(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.get("/api/v1/permissions/summary");
  DET_CO_TRY(answer);
  if (options.as_json) {
    in.world.out << pretty_json(*answer) << "\n";
    co_return kDone;
  }
  // By scope, 0 being everywhere, then by the permission's word.
  std::map<std::int64_t, std::map<std::string, Json>> scopes;
  std::map<std::int64_t, Json> permissions_of;
  for (const Json& role : field(*answer, "roles")) {
    permissions_of[integer_field(role, "roleId")] = field(role, "permissions");
  }
  for (const Json& assigned : field(*answer, "assignments")) {
    std::vector<std::int64_t> places;
    if (field(assigned, "scopeCluster") == true) places.push_back(0);
    for (const Json& id : field(assigned, "scopeWorkspaceIds")) places.push_back(id.get<std::int64_t>());
    for (const std::int64_t place : places) {
      for (const Json& one : permissions_of[integer_field(assigned, "roleId")]) {
        scopes[place].emplace(text_field(one, "id"), one);
      }
    }
  }
  if (scopes.empty()) in.world.out << "no permissions assigned\n";
  ThingNames names(session->client);
  for (const auto& [place, permissions] : scopes) {
    if (place == 0) {
      in.world.out << "global permissions assigned\n";
    } else {
      const auto name = co_await names.workspace(place);
      DET_CO_TRY(name);
      in.world.out << "permissions assigned over workspace '" << name->get<std::string>() << "' with ID '" << place
                   << "'\n";
    }
    Json list = Json::array();
    for (const auto& [word, one] : permissions) list.push_back(one);
    print_table(in.world, permission_table(list), false);
    in.world.out << "\n";
  }
  co_return kDone;
}

Task<Result<int>> list_roles(Invocation in, ListOptions options) {
  auto session = co_await open(in);
  DET_CO_TRY(session);
  Json body = Json::object();
  // What can be assigned to any workspace can be to the first one.
  if (options.without_global) body["workspaceId"] = 1;
  const auto answer = co_await post_pages(session->client, "/api/v1/roles/search/by-assignability", "roles",
                                          std::move(body), options.pages);
  DET_CO_TRY(answer);
  if (options.as_json) {
    in.world.out << pretty_json(*answer) << "\n";
    co_return kDone;
  }
  const Json roles = field(*answer, "roles");
  if (roles.empty()) in.world.out << "no roles found\n";
  for (const Json& role : roles) print_role(in.world, role);
  co_return kDone;
}

Task<Result<int>> list_users_roles(Invocation in, NameOptions options) {
  auto session = co_await open(in);
  DET_CO_TRY(session);
  const auto id = co_await user_id(session->client, options.name);
  DET_CO_TRY(id);
  const auto answer = co_await session->client.get("/api/v1/roles/search/by-user/" + std::to_string(*id));
  DET_CO_TRY(answer);
  if (options.as_json) {
    in.world.out << pretty_json(*answer) << "\n";
    co_return kDone;
  }
  Table table{.headers = {"Rolename", "Roleid", "Assigneddirectlytouser", "Assignedtogroupname", "Assignedtogroupid",
                          "Scopecluster", "Scopeworkspacename", "Scopeworkspaceid"},
              .rows = {}};
  ThingNames names(session->client);
  for (const Json& one : field(*answer, "roles")) {
    const Json role = field(one, "role");
    for (const char* key : {"userRoleAssignments", "groupRoleAssignments"}) {
      for (const Json& held : field(one, key)) {
        const Json scope = field(held, "roleAssignment");
        const Json group = field(held, "groupId");
        const Json workspace = field(scope, "scopeWorkspaceId");
        const auto group_name = co_await names.group(group);
        DET_CO_TRY(group_name);
        const auto workspace_name = co_await names.workspace(workspace);
        DET_CO_TRY(workspace_name);
        table.rows.push_back({field(role, "name"), field(role, "roleId"), group.is_null(), cell_of(*group_name),
                              cell_of(group), field(scope, "scopeCluster"), cell_of(*workspace_name),
                              cell_of(workspace)});
      }
    }
  }
  if (table.rows.empty()) {
    in.world.out << "user has no role assignments\n";
  } else {
    print_table(in.world, table, false);
  }
  co_return kDone;
}

Task<Result<int>> list_groups_roles(Invocation in, NameOptions options) {
  auto session = co_await open(in);
  DET_CO_TRY(session);
  const auto id = co_await group_id(session->client, options.name);
  DET_CO_TRY(id);
  const auto answer = co_await session->client.get("/api/v1/roles/search/by-group/" + std::to_string(*id));
  DET_CO_TRY(answer);
  if (options.as_json) {
    in.world.out << pretty_json(*answer) << "\n";
    co_return kDone;
  }
  const Json roles = field(*answer, "roles");
  if (roles.empty()) in.world.out << "group has no role assignments\n";
  ThingNames names(session->client);
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const Json assigned = field(*answer, "assignments").at(i);
    Table table{.headers = {"Assignedglobally", "Workspaceid", "Workspacename"}, .rows = {}};
    if (field(assigned, "scopeCluster") == true) table.rows.push_back({true, "N/A", "N/A"});
    for (const Json& workspace : field(assigned, "scopeWorkspaceIds")) {
      const auto name = co_await names.workspace(workspace);
      DET_CO_TRY(name);
      table.rows.push_back({false, workspace, *name});
    }
    in.world.out << "role '" << text_field(roles[i], "name") << "' with ID " << integer_field(roles[i], "roleId")
                 << " assigned\n";
    print_table(in.world, table, false);
    in.world.out << "\n";
  }
  co_return kDone;
}

// The groups or the users that have a role.
Task<Result<int>> print_holders(Invocation in, ThingNames& names, Json held, bool are_groups) {
  Table table{.headers = are_groups ? std::vector<std::string>{"Groupid", "Groupname"}
                                    : std::vector<std::string>{"Userid", "Username"},
              .rows = {}};
  for (const char* header : {"Workspaceid", "Workspacename", "Assignedglobally"}) table.headers.emplace_back(header);
  for (const Json& one : held) {
    const Json id = field(one, are_groups ? "groupId" : "userId");
    const Json workspace = field(field(one, "roleAssignment"), "scopeWorkspaceId");
    const auto name = are_groups ? co_await names.group(id) : co_await names.user(id);
    DET_CO_TRY(name);
    const auto workspace_name = co_await names.workspace(workspace);
    DET_CO_TRY(workspace_name);
    table.rows.push_back({id, *name, cell_of(workspace), cell_of(*workspace_name), workspace.is_null()});
  }
  print_table(in.world, table, false);
  in.world.out << "\n";
  co_return kDone;
}

Task<Result<int>> describe_role(Invocation in, NameOptions options) {
  auto session = co_await open(in);
  DET_CO_TRY(session);
  const auto id = co_await role_id(session->client, options.name);
  DET_CO_TRY(id);
  Json body = {{"roleIds", Json::array({*id})}};
  const auto answer = co_await session->client.send("POST", "/api/v1/roles/search/by-ids", std::move(body));
  DET_CO_TRY(answer);
  const Json whole = field(*answer, "roles").at(0);
  if (options.as_json) {
    in.world.out << pretty_json(whole) << "\n";
    co_return kDone;
  }
  print_role(in.world, field(whole, "role"));
  ThingNames names(session->client);
  const Json groups = field(whole, "groupRoleAssignments");
  if (groups.empty()) {
    in.world.out << "role is not assigned to any group\n";
  } else {
    in.world.out << "role is assigned to groups\n";
    DET_CO_TRY(co_await print_holders(in, names, groups, true));
  }
  const Json users = field(whole, "userRoleAssignments");
  if (users.empty()) {
    in.world.out << "role is not assigned to any users\n";
  } else {
    in.world.out << "role is assigned to users\n";
    DET_CO_TRY(co_await print_holders(in, names, users, false));
  }
  co_return kDone;
}

Task<Result<int>> change_assignment(Invocation in, AssignOptions options, bool assigns) {
  if (options.username.empty() == options.group.empty()) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "must provide exactly one of --username-to-assign or --group-name-to-assign");
  }
  auto session = co_await open(in);
  DET_CO_TRY(session);
  const auto role = co_await role_id(session->client, options.role);
  DET_CO_TRY(role);
  Json scope = {{"role", {{"roleId", *role}}}};
  if (!options.workspace.empty()) {
    const auto workspace = co_await workspace_named(session->client, options.workspace);
    DET_CO_TRY(workspace);
    scope["scopeWorkspaceId"] = integer_field(*workspace, "id");
  }
  const bool is_user = !options.username.empty();
  const auto whom =
      is_user ? co_await user_id(session->client, options.username) : co_await group_id(session->client, options.group);
  DET_CO_TRY(whom);
  const Json one = {{is_user ? "userId" : "groupId", *whom}, {"roleAssignment", scope}};
  Json body = {{is_user ? "userRoleAssignments" : "groupRoleAssignments", Json::array({one})}};
  DET_CO_TRY(co_await session->client.send(
      "POST", assigns ? "/api/v1/roles/add-assignments" : "/api/v1/roles/remove-assignments", std::move(body)));
  in.world.out << (assigns ? "assigned role '" : "removed role '") << options.role << "' with ID " << *role
               << (assigns ? " to " : " from ") << (is_user ? "user '" + options.username : "group '" + options.group)
               << "' with ID " << *whom
               << (options.workspace.empty() ? " globally" : " to workspace " + options.workspace) << "\n";
  co_return kDone;
}

Task<Result<int>> assign_role(Invocation in, AssignOptions options) {
  return change_assignment(std::move(in), std::move(options), true);
}

Task<Result<int>> unassign_role(Invocation in, AssignOptions options) {
  return change_assignment(std::move(in), std::move(options), false);
}

void add_named(Program& program, CLI::App& group, const std::string& name, const std::string& help,
               const std::string& argument, Command<NameOptions> command) {
  CLI::App* leaf = program.add_leaf(group, name, {}, help);
  auto options = std::make_shared<NameOptions>();
  leaf->add_option(argument, options->name, "its name")->required();
  leaf->add_flag("--json", options->as_json, "print as JSON");
  program.runs(leaf, options, command);
}

void add_assigning(Program& program, CLI::App& group, const std::string& name, const std::string& help,
                   Command<AssignOptions> command) {
  CLI::App* leaf = program.add_leaf(group, name, {}, help);
  auto options = std::make_shared<AssignOptions>();
  leaf->add_option("role_name", options->role, "name of the role")->required();
  leaf->add_option("-w,--workspace-name", options->workspace, "name of the workspace; without it: everywhere")
      ->check(not_empty);
  leaf->add_option("-u,--username-to-assign", options->username, "username of who has the role");
  leaf->add_option("-g,--group-name-to-assign", options->group, "name of the group that has the role");
  program.runs(leaf, options, command);
}

}  // namespace

void add_rbac_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "rbac", {}, "manage roles based access controls");

  CLI::App* leaf = program.add_leaf(*group, "my-permissions", {}, "list permissions the current user has");
  auto m = std::make_shared<JsonOptions>();
  leaf->add_flag("--json", m->as_json, "print as JSON");
  program.runs(leaf, m, my_permissions);

  leaf = program.add_leaf(*group, "list-roles", {}, "list roles");
  auto l = std::make_shared<ListOptions>();
  leaf->add_flag("--exclude-global-roles", l->without_global, "without roles with global permissions");
  leaf->add_flag("--json", l->as_json, "print as JSON");
  add_page_options(leaf, l->pages);
  program.runs(leaf, l, list_roles);
  program.make_default(group, "list roles", list_roles);

  add_named(program, *group, "list-users-roles", "list user's roles", "username", list_users_roles);
  add_named(program, *group, "list-groups-roles", "list group's roles", "group_name", list_groups_roles);
  add_named(program, *group, "describe-role", "describe a role", "role_name", describe_role);
  add_assigning(program, *group, "assign-role", "assign a role to a user or group", assign_role);
  add_assigning(program, *group, "unassign-role", "unassign a role from a user or group", unassign_role);
  add_rbac_export(program, group);
}

}  // namespace det::cli
