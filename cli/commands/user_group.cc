// det user-group.

#include "base/split_text.h"
#include "cli/confirm.h"
#include "cli/login.h"
#include "cli/posted_pages.h"
#include "cli/program.h"
#include "cli/role_lookup.h"
#include "cli/user_lookup.h"

namespace det::cli {
namespace {

constexpr const char* kWhat = "User groups commands";

struct CreateOptions {
  std::string name;
  std::vector<std::string> users;
};

struct NameOptions {
  std::string name;
  bool as_json = false;
  bool yes = false;
};

struct ListOptions {
  PageOptions pages;
  std::string user;
  bool as_json = false;
};

struct MemberOptions {
  std::string name;
  std::string usernames;  // with commas between them
};

struct RenameOptions {
  std::string old_name;
  std::string new_name;
};

Task<Result<Session>> open(Invocation in) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  DET_CO_TRY(co_await check_roles_are_shown(session->client, kWhat));
  co_return session;
}

std::string path_of(std::int64_t id) {
  return "/api/v1/groups/" + std::to_string(id);
}

Task<Result<std::vector<std::int64_t>>> ids_of(MasterClient client, std::vector<std::string> usernames) {
  std::vector<std::int64_t> ids;
  for (const std::string& name : usernames) {
    const auto id = co_await user_id(client, name);
    if (!id && id.error().code == ErrorCode::kNotFound) {
      co_return fail(ErrorCode::kNotFound, "could not find users for usernames " + name);
    }
    DET_CO_TRY(id);
    ids.push_back(*id);
  }
  co_return ids;
}

Task<Result<int>> create(Invocation in, CreateOptions options) {
  auto session = co_await open(in);
  DET_CO_TRY(session);
  const auto users = co_await ids_of(session->client, options.users);
  DET_CO_TRY(users);
  const Json body = {{"name", options.name}, {"addUsers", *users}};
  const auto made = co_await session->client.send("POST", "/api/v1/groups", body);
  DET_CO_TRY(made);
  const Json group = field(*made, "group");
  in.world.out << "user group with name " << text_field(group, "name") << " and ID " << integer_field(group, "groupId")
               << " created\n";
  std::string added;
  for (const Json& user : field(group, "users")) {
    added += (added.empty() ? "" : ", ") + text_field(user, "username");
  }
  if (!added.empty()) in.world.out << added << " was added to the group\n";
  co_return kDone;
}

Task<Result<int>> remove(Invocation in, NameOptions options) {
  const std::string question =
      "Deleting a group will result in an unrecoverable \n"
      "deletion of the group along with all the membership  \n"
      "information of the group. Do you still wish to proceed? \n";
  if (!options.yes) {
    const auto is_sure = confirmed(in.world, question);
    DET_CO_TRY(is_sure);
    if (!*is_sure) {
      in.world.out << "Skipping group deletion.\n";
      co_return kDone;
    }
  }
  auto session = co_await open(in);
  DET_CO_TRY(session);
  const auto id = co_await group_id(session->client, options.name);
  DET_CO_TRY(id);
  DET_CO_TRY(co_await session->client.send("DELETE", path_of(*id)));
  in.world.out << "user group with name " << options.name << " and ID " << *id << " deleted\n";
  co_return kDone;
}

Task<Result<int>> list(Invocation in, ListOptions options) {
  auto session = co_await open(in);
  DET_CO_TRY(session);
  Json body = Json::object();
  if (!options.user.empty()) {
    std::vector<std::string> names = {options.user};
    const auto ids = co_await ids_of(session->client, std::move(names));
    DET_CO_TRY(ids);
    body["userId"] = ids->front();
  }
  const auto answer =
      co_await post_pages(session->client, "/api/v1/groups/search", "groups", std::move(body), options.pages);
  DET_CO_TRY(answer);
  if (options.as_json) {
    in.world.out << pretty_json(*answer) << "\n";
    co_return kDone;
  }
  Table table{.headers = {"Groupid", "Name", "Nummembers"}, .rows = {}};
  for (const Json& one : field(*answer, "groups")) {
    const Json group = field(one, "group");
    table.rows.push_back({field(group, "groupId"), field(group, "name"), field(one, "numMembers")});
  }
  print_table(in.world, table, false);
  co_return kDone;
}

Task<Result<int>> describe(Invocation in, NameOptions options) {
  auto session = co_await open(in);
  DET_CO_TRY(session);
  const auto id = co_await group_id(session->client, options.name);
  DET_CO_TRY(id);
  const auto answer = co_await session->client.get(path_of(*id));
  DET_CO_TRY(answer);
  const Json group = field(*answer, "group");
  if (options.as_json) {
    in.world.out << pretty_json(group) << "\n";
    co_return kDone;
  }
  in.world.out << "group ID " << integer_field(group, "groupId") << " group name " << text_field(group, "name")
               << " with users added\n";
  Table table{.headers = {"Id", "Username", "Displayname", "Admin", "Active", "Agentusergroup", "Modifiedat"},
              .rows = {}};
  for (const Json& user : field(group, "users")) {
    std::vector<Json> row;
    for (const char* key : {"id", "username", "displayName", "admin", "active", "agentUserGroup", "modifiedAt"}) {
      row.push_back(cell_of(field(user, key)));
    }
    table.rows.push_back(std::move(row));
  }
  print_table(in.world, table, false);
  co_return kDone;
}

Task<Result<int>> change_members(Invocation in, MemberOptions options, bool adds) {
  auto session = co_await open(in);
  DET_CO_TRY(session);
  const auto id = co_await group_id(session->client, options.name);
  DET_CO_TRY(id);
  const auto parts = split_text(options.usernames, ',');
  const std::vector<std::string> names(parts.begin(), parts.end());
  const auto users = co_await ids_of(session->client, names);
  DET_CO_TRY(users);
  const Json body = {{"groupId", *id}, {adds ? "addUsers" : "removeUsers", *users}};
  const auto answer = co_await session->client.send("PUT", path_of(*id), body);
  DET_CO_TRY(answer);
  const Json group = field(*answer, "group");
  in.world.out << "user group with ID " << integer_field(group, "groupId") << " name " << text_field(group, "name")
               << "\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    in.world.out << (adds ? "user added to group with username " : "user removed from the group with username ")
                 << names[i] << " and ID " << (*users)[i] << "\n";
  }
  co_return kDone;
}

Task<Result<int>> add_user(Invocation in, MemberOptions options) {
  return change_members(std::move(in), std::move(options), true);
}

Task<Result<int>> remove_user(Invocation in, MemberOptions options) {
  return change_members(std::move(in), std::move(options), false);
}

Task<Result<int>> rename(Invocation in, RenameOptions options) {
  auto session = co_await open(in);
  DET_CO_TRY(session);
  const auto id = co_await group_id(session->client, options.old_name);
  DET_CO_TRY(id);
  const Json body = {{"groupId", *id}, {"name", options.new_name}};
  const auto answer = co_await session->client.send("PUT", path_of(*id), body);
  DET_CO_TRY(answer);
  const Json group = field(*answer, "group");
  in.world.out << "user group with ID " << integer_field(group, "groupId") << " name changed from " << options.old_name
               << " to " << text_field(group, "name") << "\n";
  co_return kDone;
}

}  // namespace

void add_user_group_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "user-group", {}, "manage user groups");

  CLI::App* leaf = program.add_leaf(*group, "create", {}, "create a user group");
  auto c = std::make_shared<CreateOptions>();
  leaf->add_option("group_name", c->name, "name of user group to be created")->required();
  add_repeated(leaf, "--add-user", c->users, "a username to add to the group");
  program.runs(leaf, c, create);

  leaf = program.add_leaf(*group, "delete", {}, "delete a user group");
  auto d = std::make_shared<NameOptions>();
  leaf->add_option("group_name", d->name, "name of user group to be deleted")->required();
  leaf->add_flag("-y,--yes", d->yes, "skip prompt asking for confirmation");
  program.runs(leaf, d, remove);

  leaf = program.add_leaf(*group, "list", {"ls"}, "list user groups");
  auto l = std::make_shared<ListOptions>();
  add_page_options(leaf, l->pages);
  leaf->add_option("--groups-user-belongs-to", l->user, "list groups that the username is in");
  leaf->add_flag("--json", l->as_json, "print as JSON");
  program.runs(leaf, l, list);
  program.make_default(group, "list user groups", list);

  leaf = program.add_leaf(*group, "describe", {}, "describe a user group");
  auto s = std::make_shared<NameOptions>();
  leaf->add_option("group_name", s->name, "name of user group to describe")->required();
  leaf->add_flag("--json", s->as_json, "print as JSON");
  program.runs(leaf, s, describe);

  leaf = program.add_leaf(*group, "add-user", {}, "add users to a group");
  auto a = std::make_shared<MemberOptions>();
  leaf->add_option("group_name", a->name, "name of user group to add users to")->required();
  leaf->add_option("usernames", a->usernames, "usernames with commas between them")->required();
  program.runs(leaf, a, add_user);

  leaf = program.add_leaf(*group, "remove-user", {}, "remove users from a group");
  auto r = std::make_shared<MemberOptions>();
  leaf->add_option("group_name", r->name, "name of user group to remove users from")->required();
  leaf->add_option("usernames", r->usernames, "usernames with commas between them")->required();
  program.runs(leaf, r, remove_user);

  leaf = program.add_leaf(*group, "change-name", {}, "change name of a user group");
  auto n = std::make_shared<RenameOptions>();
  leaf->add_option("old_group_name", n->old_name, "name of user group to be updated")->required();
  leaf->add_option("new_group_name", n->new_name, "name of user group to change to")->required();
  program.runs(leaf, n, rename);
}

}  // namespace det::cli
