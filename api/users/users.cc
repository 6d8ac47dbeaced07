#include "api/arguments.h"
#include "api/authenticator.h"
#include "api/users/routes.h"
#include "api/views.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

http::Response user_response(const store::UserRow& user) {
  return ok({{"user", wire::to_json(to_wire(user))}});
}

std::unexpected<Error> user_not_found(const std::string& who) {
  return fail(ErrorCode::kNotFound, "user '" + who + "' not found");
}

// Nothing where no field is set: that takes the account away.
Result<std::optional<model::AgentAccount>> read_account(wire::RequestFields& group) {
  constexpr std::int64_t kLargestId = 2'147'483'647;
  const auto uid = group.integer("agentUid");
  const auto gid = group.integer("agentGid");
  const auto user = group.string("agentUser");
  const auto name = group.string("agentGroup");
  DET_TRY(group.status());
  if (!uid && !gid && !user && !name) return std::nullopt;
  for (const auto& [field, id] :
       {std::pair("agentUserGroup.agentUid", uid), std::pair("agentUserGroup.agentGid", gid)}) {
    if (id && *id >= 0 && *id <= kLargestId) continue;
    return fail(ErrorCode::kInvalidArgument, std::string(field) + ": must be a number from 0 to 2147483647", field);
  }
  return model::AgentAccount{.uid = static_cast<int>(*uid),
                             .gid = static_cast<int>(*gid),
                             .user = user.value_or(""),
                             .group = name.value_or("")};
}

}  // namespace

Task<Result<http::Response>> me(ApiServices&, Call call) {
  co_return user_response(call.caller.user);
}

Task<Result<http::Response>> list_users(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  const auto active = query.boolean("active");
  const store::Page page = query.page();
  DET_CO_TRY(query.status());
  auto users = co_await services.stores.users.list(active);
  DET_CO_TRY(users);
  store::Paged<store::UserRow> given;
  given.total = std::ssize(*users);
  given.offset = page.offset < 0 ? std::max<std::int64_t>(0, given.total + page.offset) : page.offset;
  if (given.offset > given.total) co_return fail(ErrorCode::kInvalidArgument, "offset out of bounds", "offset");
  const std::int64_t end = page.limit == 0 ? given.total : std::min(given.total, given.offset + page.limit);
  wire::Json list = wire::Json::array();
  for (std::int64_t i = given.offset; i < end; ++i) {
    store::UserRow& row = (*users)[static_cast<std::size_t>(i)];
    list.push_back(wire::to_json(to_wire(row)));
    given.items.push_back(std::move(row));
  }
  co_return ok({{"users", list}, {"pagination", pagination(page, given)}});
}

Task<Result<http::Response>> get_user(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto user = co_await services.stores.users.find(model::UserId{*id});
  DET_CO_TRY(user);
  if (!*user) co_return user_not_found(std::to_string(*id));
  co_return user_response(**user);
}

Task<Result<http::Response>> get_user_by_name(ApiServices& services, Call call) {
  const std::string name = path_text(call.request, "name");
  const auto user = co_await services.stores.users.find_by_name(name);
  DET_CO_TRY(user);
  if (!*user) co_return user_not_found(name);
  co_return user_response(**user);
}

Task<Result<http::Response>> create_user(ApiServices& services, Call call) {
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  wire::RequestFields user = fields.object("user");
  user.require("username");
  store::NewUser row;
  row.username = user.string("username").value_or("");
  row.display_name = user.string("displayName").value_or("");
  row.admin = user.boolean("admin").value_or(false);
  row.active = user.boolean("active").value_or(true);
  row.remote = user.boolean("remote").value_or(false);
  const std::string password = fields.string("password").value_or("");
  const bool is_hashed = fields.boolean("isHashed").value_or(false);
  for (const Status& status : {fields.status(), user.status()}) {
    DET_CO_TRY(status);
  }
  if (row.username.empty()) {
    co_return fail(ErrorCode::kInvalidArgument, "user.username: must not be empty", "user.username");
  }
  call.note.object = "users/" + row.username;
  auto hash = co_await services.authenticator.hash(password, is_hashed);
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
  wire::RequestFields fields(*body);
  const auto password = fields.string("password");
  const bool is_hashed = fields.boolean("isHashed").value_or(false);
  const auto active = fields.boolean("active");
  for (const char* unsupported : {"username", "displayName", "admin", "remote"}) {
    if (fields.any(unsupported) == nullptr) continue;
    co_return fail(ErrorCode::kUnimplemented,
                   std::string(unsupported) +
                       ": this version changes only the password, whether a user is active, and agentUserGroup",
                   unsupported);
  }
  wire::RequestFields group = fields.object("agentUserGroup");
  const bool has_group = fields.any("agentUserGroup") != nullptr;
  auto account = read_account(group);
  DET_CO_TRY(account);
  DET_CO_TRY(fields.status());
  if (has_group && !call.caller.user.admin) {
    co_return fail(ErrorCode::kPermissionDenied, "only admins say as whom a user's tasks run");
  }
  if (active && !call.caller.user.admin) {
    co_return fail(ErrorCode::kPermissionDenied, "only admins can activate or deactivate users");
  }
  const model::UserId user{*id};
  if (password) {
    auto hash = co_await services.authenticator.hash(*password, is_hashed);
    DET_CO_TRY(hash);
    DET_CO_TRY(co_await services.authenticator.set_password(user, std::move(*hash), call.request));
  }
  if (active) {
    DET_CO_TRY(co_await services.stores.users.set_active(user, *active));
    services.authenticator.forget_user(user);
  }
  if (has_group) {
    DET_CO_TRY(co_await services.stores.users.set_agent(user, std::move(*account)));
    services.authenticator.forget_user(user);
  }
  const auto changed = co_await services.stores.users.find(user);
  DET_CO_TRY(changed);
  if (!*changed) co_return user_not_found(std::to_string(*id));
  co_return user_response(**changed);
}

}  // namespace det::api::routes
