// det token.

#include "cli/login.h"
#include "cli/output_options.h"
#include "cli/program.h"
#include "cli/token_store.h"
#include "cli/user_lookup.h"

namespace det::cli {
namespace {

constexpr std::int64_t kForEver = -1;
constexpr std::int64_t kHoursOfDay = 24;

struct DescribeOptions {
  std::vector<std::int64_t> ids;
  OutputOptions output;
};

struct ListOptions {
  std::string username;
  bool with_inactive = false;
  OutputOptions output;
};

struct CreateOptions {
  std::string username;
  std::optional<std::int64_t> days;
  std::optional<std::string> description;
  OutputOptions output;
};

struct ChangeOptions {
  std::int64_t id = 0;
  std::optional<std::string> description;
  OutputOptions output;
};

struct LoginOptions {
  std::string token;
};

// "TOKEN_TYPE_ACCESS_TOKEN" as "ACCESS_TOKEN".
std::string type_text(std::string word) {
  constexpr std::string_view kPrefix = "TOKEN_TYPE_";
  return word.starts_with(kPrefix) ? word.substr(kPrefix.size()) : word;
}

void print_tokens(World& world, const Json& tokens, const OutputOptions& output) {
  if (output.is_for_programs()) {
    world.out << output_text(tokens, output);
    return;
  }
  Table table{.headers = {"ID", "User ID", "Description", "Created At", "Expires At", "Revoked", "Token Type"},
              .rows = {}};
  for (const Json& token : tokens) {
    std::vector<Json> row;
    for (const char* key : {"id", "userId", "description", "createdAt", "expiry", "revoked"}) {
      row.push_back(field(token, key));
    }
    row.emplace_back(type_text(text_field(token, "tokenType")));
    table.rows.push_back(std::move(row));
  }
  print_table(world, table, false);
}

Task<Result<int>> print_list(Invocation in, Query query, OutputOptions output) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto tokens = co_await session->client.list("/api/v1/tokens", "tokenInfo", std::move(query), 0, 0, false);
  DET_CO_TRY(tokens);
  print_tokens(in.world, *tokens, output);
  co_return kDone;
}

Task<Result<int>> describe(Invocation in, DescribeOptions options) {
  Query query;
  for (const std::int64_t id : options.ids) query.emplace_back("tokenIds", std::to_string(id));
  co_return co_await print_list(in, std::move(query), options.output);
}

Task<Result<int>> list(Invocation in, ListOptions options) {
  Query query = {{"showInactive", options.with_inactive ? "true" : "false"}};
  if (!options.username.empty()) query.emplace_back("username", options.username);
  co_return co_await print_list(in, std::move(query), options.output);
}

Task<Result<int>> create(Invocation in, CreateOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const std::string username = options.username.empty() ? session->username : options.username;
  const auto user = co_await user_id(session->client, username);
  DET_CO_TRY(user);
  Json body = {{"userId", *user}};
  if (options.description) body["description"] = *options.description;
  if (options.days) {
    body["lifespan"] = *options.days == kForEver ? "-1" : std::to_string(kHoursOfDay * *options.days) + "h";
  }
  const auto made = co_await session->client.send("POST", "/api/v1/tokens", body);
  DET_CO_TRY(made);
  if (options.output.is_for_programs()) {
    in.world.out << output_text(*made, options.output);
  } else {
    in.world.out << "TokenID: " << field(*made, "tokenId").dump() << "\nAccess-Token: " << text_field(*made, "token")
                 << "\n";
  }
  co_return kDone;
}

Task<Result<int>> change(Invocation in, ChangeOptions options, bool revoke) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  Json body = {{"tokenId", options.id}, {"setRevoked", revoke}};
  if (options.description) body["description"] = *options.description;
  const auto changed =
      co_await session->client.send("PATCH", "/api/v1/tokens/" + std::to_string(options.id), std::move(body));
  if (!changed && changed.error().code == ErrorCode::kNotFound) co_return fail(ErrorCode::kNotFound, "Token not found");
  DET_CO_TRY(changed);
  in.world.out << output_text(*changed, options.output);
  // What a program reads is nothing but that.
  (options.output.is_for_programs() ? in.world.err : in.world.out)
      << (revoke ? "Successfully revoked token " : "Successfully updated token with ID: ") << options.id << ".\n";
  co_return kDone;
}

Task<Result<int>> revoke(Invocation in, ChangeOptions options) {
  return change(std::move(in), std::move(options), true);
}

Task<Result<int>> edit(Invocation in, ChangeOptions options) {
  return change(std::move(in), std::move(options), false);
}

Task<Result<int>> log_in_with(Invocation in, LoginOptions options) {
  auto client = open_client(in);
  DET_CO_TRY(client);
  client->use_token(options.token);
  const auto me = co_await client->get("/api/v1/me");
  DET_CO_TRY(me);
  const std::string username = text_field(field(*me, "user"), "username");
  TokenStore store(in.world, client->master().url);
  DET_CO_TRY(store.set_token(username, options.token));
  DET_CO_TRY(store.set_active(username));
  in.world.out << "Authenticated as " << username << ".\n";
  co_return kDone;
}

}  // namespace

void add_token_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "token", {"tkn"}, "manage access tokens");

  CLI::App* leaf = program.add_leaf(*group, "describe", {}, "describe token info");
  auto d = std::make_shared<DescribeOptions>();
  leaf->add_option("token_id", d->ids, "token id(s) specifying access tokens to describe")
      ->required()
      ->check(whole_number(1));
  add_output(leaf, d->output);
  program.runs(leaf, d, describe);

  leaf = program.add_leaf(*group, "list", {"ls"}, "list access tokens accessible to users");
  auto l = std::make_shared<ListOptions>();
  leaf->add_option("username", l->username, "list access tokens for the given username");
  leaf->add_flag("--show-inactive", l->with_inactive, "also those that have expired or were revoked");
  add_output(leaf, l->output);
  program.runs(leaf, l, list);

  leaf = program.add_leaf(*group, "revoke", {}, "revoke token");
  auto r = std::make_shared<ChangeOptions>();
  add_id(leaf, "token_id", r->id, "revoke given access token id");
  program.runs(leaf, r, revoke);

  leaf = program.add_leaf(*group, "create", {}, "create token");
  auto c = std::make_shared<CreateOptions>();
  leaf->add_option("username", c->username, "name of user to create token");
  leaf->add_option("-e,--expiration-days", c->days,
                   "days that the token is good for; -1: as long as the cluster allows")
      ->check(whole_number(kForEver));
  leaf->add_option("-d,--description", c->description, "description of new token");
  add_output(leaf, c->output);
  program.runs(leaf, c, create);

  leaf = program.add_leaf(*group, "edit", {}, "edit token info");
  auto e = std::make_shared<ChangeOptions>();
  add_id(leaf, "token_id", e->id, "edit given access token info");
  leaf->add_option("-d,--description", e->description, "description of token to edit");
  add_output(leaf, e->output);
  program.runs(leaf, e, edit);

  leaf = program.add_leaf(*group, "login", {}, "log in with token");
  auto t = std::make_shared<LoginOptions>();
  leaf->add_option("token", t->token, "token to use for authentication")->required();
  program.runs(leaf, t, log_in_with);
}

}  // namespace det::cli
