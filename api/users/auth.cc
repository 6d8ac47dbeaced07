#include "api/authenticator.h"
#include "api/users/routes.h"
#include "api/views.h"
#include "http/host_check.h"
#include "wire/request_fields.h"

namespace det::api::routes {

std::string session_cookie(const std::string& token, bool is_tls) {
  return "auth=" + token + "; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax" + (is_tls ? "; Secure" : "");
}

Task<Result<http::Response>> login(ApiServices& services, Call call) {
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  LoginAttempt attempt{.username = fields.string("username").value_or(""),
                       .password = fields.string("password").value_or(""),
                       .is_hashed = fields.boolean("isHashed").value_or(false),
                       .peer = call.request.peer};
  DET_CO_TRY(fields.status());
  call.note.user = attempt.username;
  auto login = co_await services.authenticator.login(std::move(attempt));
  DET_CO_TRY(login);
  http::Response response = ok({{"token", login->token}, {"user", wire::to_json(to_wire(login->user))}});
  response.headers.add("Set-Cookie", session_cookie(login->token, http::is_seen_by_tls(call.request)));
  co_return response;
}

Task<Result<http::Response>> logout(ApiServices& services, Call call) {
  DET_CO_TRY(co_await services.authenticator.logout(call.request));
  http::Response response = ok();
  response.headers.add("Set-Cookie", "auth=; Path=/; Max-Age=0");
  co_return response;
}

}  // namespace det::api::routes
