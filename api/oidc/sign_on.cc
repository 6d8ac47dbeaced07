// Signing in with an OpenID Connect provider: the authorization code flow with PKCE. api/oidc/sign_in_state.h says what
// binds its two halves to one browser. These two routes are for browsers, which get pages when something is wrong.

#include "api/authenticator.h"
#include "api/oidc/identity_provider.h"
#include "api/oidc/remote_user.h"
#include "api/oidc/routes.h"
#include "api/oidc/sign_in_state.h"
#include "api/pages/html.h"
#include "api/users/routes.h"
#include "base/cut_text.h"
#include "base/log.h"
#include "base/printable.h"
#include "http/connection_book.h"
#include "http/host_check.h"
#include "wire/error.h"

namespace det::api::routes {

namespace {

// Upstream's command line listens there (harness/determined/cli/sso.py), and nowhere else does a token go.
constexpr const char* kCommandLine = "http://localhost:49176?token=";
constexpr std::size_t kLongestReason = 300;

// Only this host, and only by TLS, may set a cookie that is called __Host-: nobody's task, on a neighbouring name, can.
std::string cookie_name(const model::OidcConfig& config) {
  return config.is_reached_by_tls() ? "__Host-det_sign_in" : "det_sign_in";
}

std::string browser_cookie(const model::OidcConfig& config, const std::string& browser) {
  return cookie_name(config) + "=" + browser +
         "; Path=/; Max-Age=" + std::to_string(std::chrono::seconds(kSignInPatience).count()) +
         "; HttpOnly; SameSite=Lax" + (config.is_reached_by_tls() ? "; Secure" : "");
}

http::Response trouble_page(const model::OidcConfig& config, const Error& error) {
  const Page page{
      .title = "Signing in did not work",
      .body = "<p>" + html_text(printable(cut_text(error.message, kLongestReason))) + "</p><p><a href=\"" +
              html_text(config.sign_in_url()) +
              "\">Try again</a>, or <a href=\"/det/login?hard_logout=true\">log in with a password</a>.</p>",
      .script = {},
      .refresh_seconds = 0};
  return page_response(page, wire::http_status(error.code));
}

// What went wrong, for whoever looks after the server; people get a page.
http::Response refuse(ApiServices& services, Call& call, const Error& error) {
  const Logger log("sign-in");
  call.note.reason = error.message;
  log.warn("a sign-in did not work", {{"reason", printable(error.message)}});
  return trouble_page(services.identity_provider.config(), error);
}

http::Response not_here() {
  const Page page{
      .title = "No single sign-on here",
      .body = "<p>This server has no sign-in provider. <a href=\"/det/login\">Log in with a password</a>.</p>",
      .script = {},
      .refresh_seconds = 0};
  return page_response(page, 404);
}

// What the browser came back with, if it may be acted upon.
Result<BroughtCode> read_callback(const http::Request& request, const SignIn& sign_in,
                                  const ProviderEndpoints& provider) {
  const auto by = request.query.find("iss");
  if (by ? *by != provider.issuer : provider.names_itself) {
    return fail(ErrorCode::kPermissionDenied, "This answer is of another sign-in provider.");
  }
  if (const auto error = request.query.find("error")) {
    std::string why = "The sign-in provider refused: " + std::string(*error);
    if (const auto text = request.query.get("error_description"); !text.empty()) why += " (" + std::string(text) + ")";
    return fail(ErrorCode::kPermissionDenied, cut_text(std::move(why), kLongestReason));
  }
  return BroughtCode{.code = std::string(request.query.get("code")),
                     .verifier = sign_in.verifier,
                     .nonce = sign_in.nonce,
                     .begun_at = sign_in.begun_at};
}

// Where a browser goes that has signed in.
std::string place_of(const SignIn& sign_in, const std::string& token) {
  if (sign_in.relay == "cli") return kCommandLine + token;
  return sign_in.relay.empty() ? "/" : sign_in.relay;
}

Task<Result<http::Response>> finish(ApiServices& services, Call& call) {
  IdentityProvider& provider = services.identity_provider;
  const std::string browser = cookie_of(call.request, cookie_name(provider.config())).value_or("");
  std::string address = http::address_group(http::address_of_peer(call.request.peer));
  const auto sign_in = provider.seal().open(call.request.query.get("state"), browser, services.clock.wall_now());
  DET_CO_TRY(sign_in);
  if (!provider.use_once(sign_in->id)) {
    co_return fail(ErrorCode::kPermissionDenied, "This sign-in was ended before: it is good once.");
  }
  const auto endpoints = co_await provider.endpoints();
  DET_CO_TRY(endpoints);
  auto brought = read_callback(call.request, *sign_in, **endpoints);
  DET_CO_TRY(brought);
  auto person = co_await provider.person_of(*std::move(brought), std::move(address));
  DET_CO_TRY(person);
  call.note.user = person->username;
  auto user = co_await remote_user(services, call, *std::move(person));
  DET_CO_TRY(user);
  const auto login = co_await services.authenticator.start_session(*std::move(user));
  DET_CO_TRY(login);
  http::Response response = http::Response::see_other(place_of(*sign_in, login->token));
  const bool is_tls = http::is_seen_by_tls(call.request) || provider.config().is_reached_by_tls();
  response.headers.add("Set-Cookie", session_cookie(login->token, is_tls));
  co_return response;
}

}  // namespace

Task<Result<http::Response>> begin_sign_in(ApiServices& services, Call call) {
  IdentityProvider& provider = services.identity_provider;
  if (!provider.config().enabled) co_return not_here();
  // Tabs that sign in at the same time share the cookie; each has a state of its own.
  std::string browser = cookie_of(call.request, cookie_name(provider.config())).value_or("");
  if (!SignInSeal::is_browser(browser)) browser = SignInSeal::new_browser();
  const WallTime now = services.clock.wall_now();
  std::string state = provider.seal().seal(browser, relay_of(call.request.query.get("relayState")), now);
  auto begun = provider.seal().open(state, browser, now);
  DET_CO_TRY(begun);
  auto url =
      co_await provider.authorization_url(std::move(state), std::move(begun->nonce), code_challenge(begun->verifier));
  if (!url) co_return refuse(services, call, url.error());
  http::Response response = http::Response::see_other(*std::move(url));
  response.headers.add("Set-Cookie", browser_cookie(provider.config(), browser));
  co_return response;
}

Task<Result<http::Response>> end_sign_in(ApiServices& services, Call call) {
  if (!services.identity_provider.config().enabled) co_return not_here();
  auto done = co_await finish(services, call);
  if (!done) co_return refuse(services, call, done.error());
  co_return done;
}

}  // namespace det::api::routes
