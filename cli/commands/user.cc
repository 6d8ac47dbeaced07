// det user.

#include "cli/login.h"
#include "cli/program.h"
#include "cli/token_store.h"
#include "cli/user_lookup.h"

namespace det::cli {
namespace {

struct ListOptions {
  bool all = false;
  bool as_csv = false;
  bool as_json = false;
};

struct LoginOptions {
  std::string username;
};

struct LogoutOptions {
  bool all = false;
};

struct NoOptions {};

struct PasswordOptions {
  std::string user;
};

struct CreateOptions {
  std::string username;
  bool admin = false;
  bool remote = false;
  std::optional<std::string> password;
};

Json or_not_available(Json value) {
  return value.is_null() ? Json("N/A") : value;
}

Table user_table(const Json& users) {
  Table table{.headers = {"User Id", "Username", "Display Name", "Admin", "Active", "Remote", "Agent Uid", "Agent Gid",
                          "Agent User", "Agent Group"},
              .rows = {}};
  for (const Json& user : users) {
    const Json agent = field(user, "agentUserGroup");
    std::vector<Json> row;
    for (const char* key : {"id", "username", "displayName", "admin", "active", "remote"}) {
      row.push_back(or_not_available(field(user, key)));
    }
    for (const char* key : {"agentUid", "agentGid", "agentUser", "agentGroup"}) {
      row.push_back(or_not_available(field(agent, key)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Task<Result<int>> list(Invocation in, ListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  Query query;
  if (!options.all) query = {{"active", "true"}};
  const auto users = co_await session->client.list("/api/v1/users", "users", std::move(query), 0, 0, false);
  DET_CO_TRY(users);
  if (options.as_json) {
    in.world.out << pretty_json(*users) << "\n";
  } else {
    print_table(in.world, user_table(*users), options.as_csv);
  }
  co_return kDone;
}

Task<Result<int>> log_in_user(Invocation in, LoginOptions options) {
  auto client = open_client(in);
  DET_CO_TRY(client);
  if (options.username.empty()) options.username = in.world.ask("Username: ", false).value_or("");
  if (options.username.empty()) co_return fail(ErrorCode::kInvalidArgument, "no username was given");
  const auto password = in.world.ask("Password for user '" + options.username + "': ", true);
  if (!password)
    co_return fail(ErrorCode::kInvalidArgument, "no password was given for user '" + options.username + "'");
  const auto token = co_await log_in(*client, options.username, *password);
  DET_CO_TRY(token);
  warn_if_weak(in.world, *password);
  TokenStore store(in.world, client->master().url);
  Status kept = store.set_token(options.username, *token);
  if (kept) kept = store.set_active(options.username);
  DET_CO_TRY(kept);
  co_return kDone;
}

// Which of the stored users -u, the environment or the last login means.
Result<std::string> user_to_log_out(const Invocation& in, const TokenStore& store) {
  if (!in.globals.user.empty()) return in.globals.user;
  const auto user = in.world.variable("DET_USER");
  if (user && in.world.variable("DET_PASS")) return *user;
  const auto active = store.active_user();
  DET_TRY(active);
  return active->value_or("determined");
}

Task<Result<int>> log_out_user(Invocation in, LogoutOptions options) {
  auto client = open_client(in);
  DET_CO_TRY(client);
  TokenStore store(in.world, client->master().url);
  auto users = store.users();
  DET_CO_TRY(users);
  const auto one = user_to_log_out(in, store);
  DET_CO_TRY(one);
  if (!options.all) std::erase_if(*users, [&one](const std::string& user) { return user != *one; });
  for (const std::string& user : *users) {
    const auto token = store.token(user);
    if (!token || !*token) continue;
    DET_CO_TRY(store.drop(user));
    client->use_token(**token);
    // A session that the server no longer knows, or a server that is away: the token is gone from here all the same.
    (void)co_await client->send("POST", "/api/v1/auth/logout");
  }
  const auto active = store.active_user();
  DET_CO_TRY(active);
  const bool was_active = *active && !users->empty() && **active == *one;
  if (options.all || was_active) {
    DET_CO_TRY(store.clear_active());
  }
  co_return kDone;
}

Task<Result<int>> whoami(Invocation in, NoOptions) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto me = co_await session->client.get("/api/v1/me");
  DET_CO_TRY(me);
  in.world.out << "You are logged in as user '" << text_field(field(*me, "user"), "username") << "'\n";
  co_return kDone;
}

Result<std::string> ask_new_password(World& world, const std::string& prompt) {
  const auto password = world.ask(prompt, true);
  const auto again = password ? world.ask("Confirm password: ", true) : std::nullopt;
  if (!again) return fail(ErrorCode::kInvalidArgument, "no password was given");
  if (*password != *again) return fail(ErrorCode::kInvalidArgument, "Passwords do not match");
  return *password;
}

Status check_strength(const std::string& password) {
  const std::string weakness = password_weakness(password);
  if (weakness.empty()) return {};
  return fail(ErrorCode::kInvalidArgument, "the password is too weak:\n" + weakness);
}

Task<Result<int>> change_password(Invocation in, PasswordOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const bool is_other = !options.user.empty();
  const std::string username = is_other ? options.user : session->username;
  const auto password = ask_new_password(in.world, "New password for user '" + username + "': ");
  DET_CO_TRY(password);
  DET_CO_TRY(check_strength(*password));
  const auto id = co_await user_id(session->client, username);
  DET_CO_TRY(id);
  const Json body = {{"isHashed", true}, {"password", salted_hash(*password)}};
  const auto done = co_await session->client.send("PATCH", "/api/v1/users/" + std::to_string(*id), body);
  DET_CO_TRY(done);
  if (is_other) co_return kDone;
  // The old session may be gone; the person should not have to log in for having changed the password.
  const auto token = co_await log_in(session->client, username, *password);
  DET_CO_TRY(token);
  TokenStore store(in.world, session->client.master().url);
  Status kept = store.set_token(username, *token);
  if (kept) kept = store.set_active(username);
  DET_CO_TRY(kept);
  co_return kDone;
}

Task<Result<int>> create(Invocation in, CreateOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  if (!options.remote && options.password.value_or("").empty()) {
    auto password = ask_new_password(in.world, "Password for user '" + options.username + "': ");
    DET_CO_TRY(password);
    options.password = std::move(*password);
  }
  if (options.password) {
    DET_CO_TRY(check_strength(*options.password));
  }
  const Json user = {
      {"username", options.username}, {"admin", options.admin}, {"active", true}, {"remote", options.remote}};
  const Json body = {{"isHashed", true},
                     {"password", options.password ? Json(salted_hash(*options.password)) : Json()},
                     {"user", user}};
  const auto done = co_await session->client.send("POST", "/api/v1/users", body);
  DET_CO_TRY(done);
  co_return kDone;
}

}  // namespace

void add_user_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "user", {"u"}, "manage users");
  program.make_default<ListOptions>(group, "list users", list);

  CLI::App* leaf = program.add_leaf(*group, "list", {"ls"}, "list users");
  auto l = std::make_shared<ListOptions>();
  leaf->add_flag("-a,--all", l->all, "List all active and inactive users.");
  auto* csv = leaf->add_flag("--csv", l->as_csv, "print as CSV");
  leaf->add_flag("--json", l->as_json, "Output in JSON format")->excludes(csv);
  program.runs(leaf, l, list);

  leaf = program.add_leaf(*group, "login", {}, "log in user");
  auto i = std::make_shared<LoginOptions>();
  leaf->add_option("username", i->username, "name of user to log in as");
  program.runs(leaf, i, log_in_user);

  leaf = program.add_leaf(*group, "logout", {}, "log out user");
  auto o = std::make_shared<LogoutOptions>();
  leaf->add_flag("-a,--all", o->all, "log out of all cached sessions for the current master");
  program.runs(leaf, o, log_out_user);

  leaf = program.add_leaf(*group, "whoami", {}, "print the active user");
  program.runs(leaf, std::make_shared<NoOptions>(), whoami);

  leaf = program.add_leaf(*group, "change-password", {}, "change password for user");
  auto p = std::make_shared<PasswordOptions>();
  leaf->add_option("target_user", p->user, "name of user to change password of");
  program.runs(leaf, p, change_password);

  leaf = program.add_leaf(*group, "create", {}, "create user");
  auto c = std::make_shared<CreateOptions>();
  leaf->add_option("username", c->username, "name of new user")->required();
  leaf->add_flag("--admin", c->admin, "give new user admin rights");
  leaf->add_option("--password", c->password, "password of new user (asked for when not given)");
  leaf->add_flag("--remote", c->remote, "disallow using passwords, user must use the configured external IdP");
  program.runs(leaf, c, create);

  add_user_edit_commands(program, group);
}

}  // namespace det::cli
