// Making users and changing them.

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/authenticator.h"
#include "api/id_list.h"
#include "api/users/agent_account.h"
#include "api/users/routes.h"
#include "api/users/user_fields.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

constexpr std::size_t kShortestUsername = 2;

// What PATCH says, before it is held against the user.
struct AskedPatch {
  store::UserPatch patch;
  std::optional<std::string> password;
  bool is_hashed = false;
  [[nodiscard]] bool is_for_admins() const { return patch.admin || patch.active || patch.remote || patch.agent; }
};

Result<AskedPatch> read_patch(const wire::Json& body) {
  wire::RequestFields fields(body);
  AskedPatch asked;
  asked.password = fields.string("password");
  asked.is_hashed = fields.boolean("isHashed").value_or(false);
  asked.patch.username = fields.string("username");
  asked.patch.display_name = fields.string("displayName");
  asked.patch.admin = fields.boolean("admin");
  asked.patch.active = fields.boolean("active");
  asked.patch.remote = fields.boolean("remote");
  wire::RequestFields group = fields.object("agentUserGroup");
  auto account = read_agent_account(group);
  DET_TRY(account);
  DET_TRY(fields.status());
  if (fields.any("agentUserGroup") != nullptr) asked.patch.agent = std::move(*account);
  return asked;
}

// The REST API and clients name users in paths, which clients do not all encode.
Result<std::string> clean_username(const std::string& name, const store::UserRow& of, const std::string& field) {
  if (name.contains('/')) {
    return fail(ErrorCode::kInvalidArgument, field + ": '/' does not work in the name of a user", field);
  }
  return clean_name(name, kShortestUsername, of, field);
}

// What was not asked for, or is so already, is taken out: it needs no permission and no check.
Status check_names(AskedPatch& asked, const store::UserRow& user) {
  const bool will_be_remote = asked.patch.remote.value_or(user.remote);
  if (asked.patch.username == user.username) asked.patch.username.reset();
  if (asked.patch.username) {
    if (will_be_remote) {
      return fail(ErrorCode::kInvalidArgument, "Cannot set username for remote users", "username");
    }
    auto clean = clean_username(*asked.patch.username, user, "username");
    DET_TRY(clean);
    asked.patch.username = std::move(*clean);
  }
  if (asked.patch.display_name == user.display_name) asked.patch.display_name.reset();
  if (asked.patch.display_name) {
    auto clean = clean_name(*asked.patch.display_name, 0, user, "displayName");
    DET_TRY(clean);
    asked.patch.display_name = std::move(*clean);
  }
  if (asked.password && will_be_remote) {
    return fail(ErrorCode::kInvalidArgument, "Cannot set password for remote users", "password");
  }
  return {};
}

// A user who logs in here again has no password that anybody knows until one is set, not a blank one.
Task<Status> read_password(ApiServices& services, std::string account, AskedPatch& asked, const store::UserRow& user) {
  if (asked.password) {
    auto hash = co_await services.authenticator.hash(std::move(account), *asked.password, asked.is_hashed);
    DET_CO_TRY(hash);
    asked.patch.password_hash = std::move(*hash);
  } else if (asked.patch.remote && *asked.patch.remote != user.remote) {
    auto hash = co_await services.authenticator.unknown_hash(std::move(account));
    DET_CO_TRY(hash);
    asked.patch.password_hash = std::move(*hash);
  }
  co_return Status();
}

Task<Result<store::UserRow>> found_user(ApiServices& services, model::UserId id) {
  auto user = co_await services.stores.users.find(id);
  DET_CO_TRY(user);
  if (!*user) co_return user_not_found(to_string(id));
  co_return std::move(**user);
}

}  // namespace

Task<Result<http::Response>> create_user(ApiServices& services, Call call) {
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("user");
  wire::RequestFields user = fields.object("user");
  user.require("username");
  store::NewUser row;
  const std::string username = user.string("username").value_or("");
  const std::string display_name = user.string("displayName").value_or("");
  row.admin = user.boolean("admin").value_or(false);
  row.active = user.boolean("active").value_or(true);
  row.remote = user.boolean("remote").value_or(false);
  wire::RequestFields group = user.object("agentUserGroup");
  const std::string password = fields.string("password").value_or("");
  const bool is_hashed = fields.boolean("isHashed").value_or(false);
  auto account = read_agent_account(group);
  DET_CO_TRY(account);
  for (const Status& status : {fields.status(), user.status()}) {
    DET_CO_TRY(status);
  }
  row.agent = std::move(*account);
  if (row.remote && !password.empty()) {
    co_return fail(ErrorCode::kInvalidArgument, "cannot set password for remote user", "password");
  }
  const store::UserRow of{.id = {}, .username = username, .display_name = {}, .admin = row.admin, .modified_at = {}};
  auto clean = clean_username(username, of, "user.username");
  DET_CO_TRY(clean);
  row.username = std::move(*clean);
  clean = clean_name(display_name, 0, of, "user.displayName");
  DET_CO_TRY(clean);
  row.display_name = std::move(*clean);
  call.note.object = "users/" + row.username;
  const std::string& caller = call.request.account;
  auto hash = row.remote ? co_await services.authenticator.unknown_hash(caller)
                         : co_await services.authenticator.hash(caller, password, is_hashed);
  DET_CO_TRY(hash);
  row.password_hash = std::move(*hash);
  const auto created = co_await services.stores.users.create(std::move(row));
  DET_CO_TRY(created);
  co_return user_response(*created);
}

Task<Result<http::Response>> patch_user(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  auto asked = read_patch(*body);
  DET_CO_TRY(asked);
  if (asked->is_for_admins() && !is_admin(call.caller)) {
    co_return fail(ErrorCode::kPermissionDenied, "only admin privileged users can update users");
  }
  const auto user = co_await found_user(services, model::UserId{*id});
  DET_CO_TRY(user);
  DET_CO_TRY(check_names(*asked, *user));
  // Also of oneself (upstream's CanSetUsersUsername): a name may be somebody's who has not signed in yet.
  if (asked->patch.username) DET_CO_TRY(require(call.caller, model::Permission::kAdministrateUser));
  if (const auto& name = asked->patch.display_name; name && !name->empty()) {
    const auto is_taken = co_await services.stores.users.is_name_taken(*name, user->id);
    DET_CO_TRY(is_taken);
    if (*is_taken) {
      co_return fail(ErrorCode::kInvalidArgument,
                     "can not change display name to " + *name + " found a similar username or display name",
                     "displayName");
    }
  }
  DET_CO_TRY(co_await read_password(services, call.request.account, *asked, *user));
  const auto changed = co_await services.authenticator.change(user->id, std::move(asked->patch), call.request);
  DET_CO_TRY(changed);
  co_return user_response(*changed);
}

// The body is the password itself, as a JSON text, not hashed.
Task<Result<http::Response>> set_user_password(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto body = wire::parse_any_body(call.request.body.view());
  DET_CO_TRY(body);
  if (!body->is_string()) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "the body is the password as a JSON text, not " + std::string(body->type_name()));
  }
  const auto user = co_await found_user(services, model::UserId{*id});
  DET_CO_TRY(user);
  if (user->remote) co_return fail(ErrorCode::kInvalidArgument, "Cannot set password for remote users", "password");
  auto hash = co_await services.authenticator.hash(call.request.account, body->get<std::string>(), false);
  DET_CO_TRY(hash);
  store::UserPatch patch;
  patch.password_hash = std::move(*hash);
  const auto changed = co_await services.authenticator.change(user->id, std::move(patch), call.request);
  DET_CO_TRY(changed);
  co_return user_response(*changed);
}

Task<Result<http::Response>> patch_users(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("activate");
  const auto activate = fields.boolean("activate");
  DET_CO_TRY(fields.status());
  if (fields.any("filters") != nullptr) {
    co_return fail(ErrorCode::kUnimplemented, "filters: this version takes userIds only", "filters");
  }
  const auto ids = read_id_list(fields.any("userIds"), "userIds");
  DET_CO_TRY(ids);
  wire::Json results = wire::Json::array();
  for (const std::int64_t id : *ids) {
    store::UserPatch patch;
    patch.active = activate;
    const model::UserId user{id};
    const auto changed = co_await services.authenticator.change(user, std::move(patch), call.request);
    results.push_back({{"id", user.value}, {"error", changed ? "" : changed.error().message}});
  }
  co_return ok({{"results", std::move(results)}});
}

}  // namespace det::api::routes
