// Logins and users as clients of before /api/v1 know them, which some scripts still do.

#include "api/authenticator.h"
#include "api/users/routes.h"
#include "http/host_check.h"
#include "wire/request_fields.h"
#include "wire/user.h"

namespace det::api::routes {

namespace {

constexpr std::int64_t kUsersAtOnce = 1000;

wire::Json legacy_json(const store::UserRow& user) {
  wire::Json out = {{"id", user.id.value},
                    {"username", user.username},
                    {"display_name", user.display_name.empty() ? wire::Json() : wire::Json(user.display_name)},
                    {"name", user.display_name.empty() ? user.username : user.display_name},
                    {"admin", user.admin},
                    {"active", user.active},
                    {"remote", user.remote},
                    {"modified_at", wire::time(user.modified_at)},
                    {"last_auth_at", wire::time_or_null(user.last_auth_at)},
                    {"agent_uid", nullptr},
                    {"agent_gid", nullptr},
                    {"agent_user", nullptr},
                    {"agent_group", nullptr}};
  if (!user.agent) return out;
  out["agent_uid"] = user.agent->uid;
  out["agent_gid"] = user.agent->gid;
  out["agent_user"] = user.agent->user;
  out["agent_group"] = user.agent->group;
  return out;
}

}  // namespace

// {"username","password"}: salted and hashed by the client, as /api/v1/auth/login takes it with isHashed.
Task<Result<http::Response>> legacy_login(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  LoginAttempt attempt{.username = fields.string("username").value_or(""),
                       .password = fields.string("password").value_or(""),
                       .is_hashed = true,
                       .peer = call.request.peer};
  DET_CO_TRY(fields.status());
  call.note.user = attempt.username;
  const auto login = co_await services.authenticator.login(std::move(attempt));
  DET_CO_TRY(login);
  http::Response response = ok({{"token", login->token}});
  if (call.request.query.find("cookie").value_or("") == "true") {
    response.headers.add("Set-Cookie", session_cookie(login->token, http::is_seen_by_tls(call.request)));
  }
  co_return response;
}

Task<Result<http::Response>> legacy_me(ApiServices&, Call call) {
  co_return ok(legacy_json(call.caller.user));
}

Task<Result<http::Response>> legacy_users(ApiServices& services, Call) {
  wire::Json list = wire::Json::array();
  store::UserFilter filter;
  filter.page.limit = kUsersAtOnce;
  for (;;) {
    const auto users = co_await services.stores.users.list(filter);
    DET_CO_TRY(users);
    for (const store::UserRow& user : users->items) list.push_back(legacy_json(user));
    filter.page.offset += static_cast<std::int64_t>(users->items.size());
    if (users->items.empty() || filter.page.offset >= users->total) break;
  }
  co_return ok(list);
}

}  // namespace det::api::routes
