// det user edit, rename, activate, deactivate, link-with-agent-user.

#include "cli/login.h"
#include "cli/program.h"
#include "cli/user_lookup.h"

namespace det::cli {
namespace {

struct ActiveOptions {
  std::string username;
  bool active = false;
};

struct AccountOptions {
  std::string username;
  std::int64_t uid = 0;
  std::int64_t gid = 0;
  std::string user;
  std::string group;
};

struct EditOptions {
  std::string target;
  std::optional<std::string> display_name;
  std::optional<std::string> username;
  std::optional<bool> remote;
  std::optional<bool> active;
  std::optional<bool> admin;
};

Task<Status> patch(MasterClient client, std::string name, Json changes) {
  const auto id = co_await user_id(client, std::move(name));
  DET_CO_TRY(id);
  const auto done = co_await client.send("PATCH", "/api/v1/users/" + std::to_string(*id), changes);
  DET_CO_TRY(done);
  co_return Status();
}

Task<Result<int>> set_active(Invocation in, ActiveOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  DET_CO_TRY(co_await patch(session->client, options.username, {{"active", options.active}}));
  co_return kDone;
}

Task<Result<int>> link_account(Invocation in, AccountOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json account = {
      {"agentUid", options.uid}, {"agentGid", options.gid}, {"agentUser", options.user}, {"agentGroup", options.group}};
  DET_CO_TRY(co_await patch(session->client, options.username, {{"agentUserGroup", account}}));
  co_return kDone;
}

void add_link(Program& program, CLI::App* group) {
  constexpr std::int64_t kLargestId = 2'147'483'647;
  CLI::App* leaf = program.add_leaf(*group, "link-with-agent-user", {},
                                    "link a user with an account that their tasks run as (for administrators)");
  auto o = std::make_shared<AccountOptions>();
  leaf->add_option("det_username", o->username, "name of user")->required();
  leaf->add_option("--agent-uid", o->uid, "user ID that the tasks run with")
      ->required()
      ->check(whole_number(0, kLargestId));
  leaf->add_option("--agent-user", o->user, "name of that user")->required();
  leaf->add_option("--agent-gid", o->gid, "group ID that the tasks run with")
      ->required()
      ->check(whole_number(0, kLargestId));
  leaf->add_option("--agent-group", o->group, "name of that group")->required();
  program.runs(leaf, o, link_account);
}

Task<Result<int>> rename(Invocation in, EditOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  DET_CO_TRY(co_await patch(session->client, options.target, {{"username", *options.username}}));
  co_return kDone;
}

Task<Result<int>> edit(Invocation in, EditOptions options) {
  Json changes = Json::object();
  std::string names;
  const auto take = [&](const char* field, const char* name, const auto& value) {
    if (!value) return;
    changes[field] = *value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  };
  take("displayName", "Display Name", options.display_name);
  take("remote", "Remote", options.remote);
  take("active", "Active", options.active);
  take("username", "Username", options.username);
  take("admin", "Admin", options.admin);
  if (changes.empty()) {
    co_return fail(ErrorCode::kInvalidArgument, "No field provided. Use 'det user edit -h' for usage.");
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  DET_CO_TRY(co_await patch(session->client, options.target, std::move(changes)));
  in.world.out << "Changes made to the following fields: " << names << "\n";
  co_return kDone;
}

void add_edit(Program& program, CLI::App* group) {
  CLI::App* leaf = program.add_leaf(*group, "rename", {}, "change username for user");
  auto r = std::make_shared<EditOptions>();
  leaf->add_option("target_user", r->target, "name of user whose username should be changed")->required();
  leaf->add_option("new_username", r->username, "new username for target_user")->required();
  program.runs(leaf, r, rename);

  leaf = program.add_leaf(*group, "edit", {}, "edit user fields");
  auto e = std::make_shared<EditOptions>();
  leaf->add_option("target_user", e->target, "name of user that should be edited")->required();
  leaf->add_option("--display-name", e->display_name, "new display name for target_user");
  leaf->add_option("--username", e->username, "new username for target_user");
  leaf->add_option("--remote", e->remote, "true or false: set user as remote, who has no password here");
  leaf->add_option("--active", e->active, "true or false: set user as active or inactive");
  leaf->add_option("--admin", e->admin, "true or false: grant or remove user admin permissions");
  program.runs(leaf, e, edit);
}

}  // namespace

void add_user_edit_commands(Program& program, CLI::App* group) {
  for (const bool active : {true, false}) {
    CLI::App* leaf =
        program.add_leaf(*group, active ? "activate" : "deactivate", {}, active ? "activate user" : "deactivate user");
    auto a = std::make_shared<ActiveOptions>();
    a->active = active;
    leaf->add_option("username", a->username, "name of user")->required();
    program.runs(leaf, a, set_active);
  }
  add_link(program, group);
  add_edit(program, group);
}

}  // namespace det::cli
