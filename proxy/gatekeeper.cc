#include "proxy/gatekeeper.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/encoding.h"
#include "http/connection_book.h"
#include "http/host_check.h"
#include "http/target.h"
#include "proxy/browser.h"
#include "proxy/cookies.h"
#include "proxy/refusals.h"

namespace det::proxy {
namespace {

constexpr std::chrono::seconds kTicketLife{30};
constexpr std::chrono::hours kCookieLife{24 * 7};
constexpr std::size_t kNonceBytes = 18;
constexpr std::string_view kTicket = "det_ticket";

std::string path_of(const store::ProxyService& service) {
  return "/proxy/" + http::encode_component(service.id) + "/";
}

http::Response not_visible(const store::ProxyService& service) {
  return message(404, "service '" + service.id + "' not found");
}

std::unexpected<http::Response> refuse(http::Response response) {
  return std::unexpected(std::move(response));
}

}  // namespace

struct Gatekeeper::Caller {
  const http::Request& request;
  store::ProxyService service;
  Passage passage;
  std::optional<std::string> bearer;   // hash of a token in Authorization
  std::string token_hash;              // of the notebook's token, where it is the right one
  bool has_token_in_header = false;    // rather than in the URL
  std::optional<std::string> login{};  // hash of the cookie `auth`

  // Is let in by it. What is open to all needs no ground.
  void rests_on(Ground::Kind kind, const std::string& hash) {
    if (service.is_unauthenticated) return;
    passage.ground = Ground{.kind = kind, .token_hash = hash, .service = service};
  }
  [[nodiscard]] bool is_get() const { return request.method == "GET" || request.method == "HEAD"; }
};

Gatekeeper::Gatekeeper(Clock& clock, Services& services, store::ServiceStore& store, const TaskOrigins& origins,
                       LookUp look_up)
    : clock_(clock), services_(services), store_(store), origins_(origins), look_up_(std::move(look_up)) {}

// Finds the service, and reads what the request shows.
Task<std::expected<Gatekeeper::Caller, http::Response>> Gatekeeper::meet(const http::Request& request) {
  const std::string id(request.params.get("service"));
  auto found = co_await services_.find_soon(id);
  if (!found) co_return refuse(message(found.error()));
  if (!*found) co_return refuse(message(404, "service not found: " + id));
  Caller caller{.request = request, .service = std::move(**found)};
  caller.passage.service = caller.service;
  caller.passage.account = http::account_at(http::address_group(http::address_of_peer(request.peer)));
  // A ticket is for us alone, wherever it turns up.
  caller.passage.target =
      request.query.has(kTicket) ? without_parameter(request.target, kTicket) : std::string(request.target);
  std::string token(request.query.get("token"));
  if (const auto authorization = request.headers.find("Authorization")) {
    if (authorization->starts_with("Bearer ")) caller.bearer = sha256_hex(authorization->substr(7));
    if (authorization->starts_with("token ")) {
      token = authorization->substr(6);
      caller.has_token_in_header = true;
    }
  }
  if (!caller.service.token_hash.empty() && !token.empty()) {
    const std::string hash = sha256_hex(token);
    if (is_same_secret(hash, caller.service.token_hash)) caller.token_hash = hash;
  }
  // Of two different ones a neighbouring server may have set one.
  const auto logins = cookies_of(request, kLoginCookie);
  const bool is_one = std::ranges::adjacent_find(logins, std::ranges::not_equal_to()) == logins.end();
  if (!logins.empty() && is_one) caller.login = sha256_hex(logins.front());
  co_return caller;
}

// Whether the token's person may use the service. Errors are those of the look-up.
Task<Result<bool>> Gatekeeper::may(const store::ProxyService& service, std::string token_hash, bool only_logins,
                                   std::string* account) {
  const auto visitor = co_await look_up_(std::move(token_hash), service.task_id);
  DET_CO_TRY(visitor);
  if (!visitor->may_look || visitor->is_session || (only_logins && !visitor->is_login)) co_return false;
  *account = "user " + to_string(visitor->user);
  co_return service.is_shared || visitor->is_admin || visitor->user == service.owner;
}

Task<Result<bool>> Gatekeeper::still_holds(Ground ground) {
  if (ground.kind != Ground::Kind::kOwnToken) {
    std::string account;
    co_return co_await may(ground.service, std::move(ground.token_hash), ground.kind == Ground::Kind::kLogin, &account);
  }
  const auto found = co_await services_.find(ground.service.id);
  DET_CO_TRY(found);
  // The task's end ends its connections by itself.
  co_return !*found || is_same_secret((*found)->token_hash, ground.token_hash);
}

// Whether Authorization lets in; a refusal where it shows somebody who may not, or nobody.
Task<std::expected<bool, http::Response>> Gatekeeper::has_right_header(Caller& caller) {
  if (!caller.token_hash.empty() && caller.has_token_in_header) {
    caller.rests_on(Ground::Kind::kOwnToken, caller.token_hash);
    co_return true;
  }
  if (!caller.bearer) co_return false;
  std::string account;
  const auto right = co_await may(caller.service, *caller.bearer, false, &account);
  if (right) {
    caller.passage.has_our_token = true;
    if (!account.empty()) caller.passage.account = account;
    if (*right) caller.rests_on(Ground::Kind::kToken, *caller.bearer);
    if (*right || caller.service.is_unauthenticated) co_return true;
    co_return refuse(not_visible(caller.service));
  }
  const ErrorCode code = right.error().code;
  // Whoever it stood for once: the program does not need to see it.
  if (code == ErrorCode::kPermissionDenied) caller.passage.has_our_token = true;
  // A token that is not ours may be the program's own.
  if (caller.service.is_unauthenticated || code == ErrorCode::kUnauthenticated) co_return false;
  co_return refuse(message(code == ErrorCode::kPermissionDenied
                               ? Error{ErrorCode::kUnauthenticated, "invalid token", {}, {}}
                               : right.error()));
}

Task<Admission> Gatekeeper::admit_to_api(const http::Request& request) {
  auto met = co_await meet(request);
  if (!met) co_return refuse(std::move(met.error()));
  Caller& caller = *met;
  caller.passage.is_https = origins_.is_https(request, false);
  caller.passage.is_apis_origin = true;
  if (auto refused = foreign_page(caller)) co_return refuse(std::move(*refused));
  const auto by_header = co_await has_right_header(caller);
  if (!by_header) co_return refuse(by_header.error());
  if (*by_header) co_return std::move(caller.passage);
  // A page that ran here could do what the person may who looks at it.
  if (is_browser(request)) co_return co_await send_to_task(std::move(caller));
  if (!caller.token_hash.empty()) caller.rests_on(Ground::Kind::kOwnToken, caller.token_hash);
  if (!caller.token_hash.empty() || caller.service.is_unauthenticated) co_return std::move(caller.passage);
  co_return refuse(message(401, caller.bearer ? "invalid credentials" : "token missing"));
}

Task<Admission> Gatekeeper::send_to_task(Caller caller) {
  const http::Request& request = caller.request;
  if (!origins_.exist()) {
    co_return refuse(message(403,
                             "browsers see tasks under an origin of their own, and this cluster has none: set "
                             "proxy.host_suffix or proxy.port of master.yaml"));
  }
  if (!caller.is_get() || !is_navigation(request)) {
    co_return refuse(message(403, "pages reach tasks under the task's own origin: open " + path_of(caller.service)));
  }
  std::string target = caller.passage.target;
  if (caller.token_hash.empty() && !caller.service.is_unauthenticated) {
    if (!caller.login) co_return co_await send_to_login(caller);
    std::string account;
    const auto right = co_await may(caller.service, *caller.login, true, &account);
    if (!right) {
      const ErrorCode code = right.error().code;
      if (code != ErrorCode::kUnauthenticated && code != ErrorCode::kPermissionDenied) {
        co_return refuse(message(right.error()));
      }
      co_return co_await send_to_login(caller);
    }
    if (!*right) co_return refuse(not_visible(caller.service));
    if (!seals_) co_return refuse(message(503, "starting: the database is not prepared yet"));
    // Where TLS ends in front of the tasks' names, it does so in front of the API's.
    const bool is_https = origins_.is_https(request, true) || http::is_seen_by_tls(request);
    const Seal ticket{.kind = SealKind::kTicket,
                      .service = caller.service.id,
                      .session = *caller.login,
                      .api_origin = own_origin(request, is_https),
                      .nonce = random_token(kNonceBytes),
                      .expires_at = clock_.wall_now() + kTicketLife};
    target += (target.contains('?') ? "&" : "?") + std::string(kTicket) + "=" + seals_->make(ticket);
  }
  co_return refuse(http::Response::see_other(origins_.origin_for(caller.service.task_id, request) + target));
}

// Only ever back to a path of ours.
Task<Admission> Gatekeeper::send_to_login(const Caller& caller) {
  co_return refuse(http::Response::see_other("/det/login?redirect=" + http::encode_component(caller.passage.target)));
}

// A page of another origin may navigate here, as a link does, and do nothing else.
std::optional<http::Response> Gatekeeper::foreign_page(const Caller& caller) const {
  const http::Request& request = caller.request;
  if (is_own_page(request)) return std::nullopt;
  return message(403, "a page of another origin may not send requests to service '" + caller.service.id + "'");
}

Task<Admission> Gatekeeper::admit_to_task(const http::Request& request) {
  auto met = co_await meet(request);
  if (!met) co_return refuse(std::move(met.error()));
  Caller& caller = *met;
  const auto label = origins_.label_of(request.headers.find("Host").value_or(""));
  if (label && *label != label_of_task(caller.service.task_id)) {
    co_return refuse(message(404, "service not found: " + caller.service.id));
  }
  caller.passage.is_https = origins_.is_https(request, true);
  if (auto refused = foreign_page(caller)) co_return refuse(std::move(*refused));
  if (std::string ticket(request.query.get(kTicket)); !ticket.empty()) {
    co_return co_await exchange_ticket(std::move(caller), std::move(ticket));
  }
  const std::string path = path_of(caller.service);
  if (is_browser(request) && caller.is_get() && is_navigation(request)) {
    // The cookie's path begins like this.
    if (!caller.passage.target.starts_with(path)) {
      co_return refuse(http::Response::see_other(path + rest_of(caller.passage.target)));
    }
    if (!caller.token_hash.empty() && !caller.has_token_in_header) co_return let_in_by_token(std::move(caller));
  }
  const auto by_cookie = co_await has_right_cookie(caller);
  if (!by_cookie) co_return refuse(by_cookie.error());
  const auto ground_of_cookie = caller.passage.ground;
  const auto by_header = co_await has_right_header(caller);
  if (*by_cookie) {
    caller.passage.ground = ground_of_cookie;
    co_return std::move(caller.passage);
  }
  if (!by_header) co_return refuse(by_header.error());
  if (!*by_header && !caller.token_hash.empty()) caller.rests_on(Ground::Kind::kOwnToken, caller.token_hash);
  if (*by_header || !caller.token_hash.empty() || caller.service.is_unauthenticated) {
    co_return std::move(caller.passage);
  }
  co_return refuse(no_entry(caller));
}

Task<Admission> Gatekeeper::exchange_ticket(Caller caller, std::string ticket) {
  if (!seals_) co_return refuse(message(503, "starting: the database is not prepared yet"));
  auto seal = seals_->read(ticket, SealKind::kTicket, clock_.wall_now());
  if (seal && seal->service == caller.service.id && caller.is_get()) {
    const auto is_first = co_await store_.use_ticket(seal->nonce, seal->expires_at);
    if (!is_first) co_return refuse(message(is_first.error()));
    if (*is_first) {
      auto response = http::Response::see_other(caller.passage.target);
      response.headers.add("Set-Cookie", cookie_of(caller, std::move(*seal)));
      co_return refuse(std::move(response));
    }
  }
  // Who comes back to the same URL may be in already.
  const auto by_cookie = co_await has_right_cookie(caller);
  if (by_cookie && *by_cookie && caller.is_get()) co_return refuse(http::Response::see_other(caller.passage.target));
  co_return refuse(no_entry(caller));
}

// The program wants to see its token too, so it stays in the URL; what the page asks for next comes with the cookie.
Admission Gatekeeper::let_in_by_token(Caller caller) const {
  if (!seals_) return refuse(message(503, "starting: the database is not prepared yet"));
  Seal seal{.service = caller.service.id, .token_hash = caller.token_hash};
  caller.passage.set_cookie = cookie_of(caller, std::move(seal));
  caller.rests_on(Ground::Kind::kOwnToken, caller.token_hash);
  return std::move(caller.passage);
}

std::string Gatekeeper::cookie_of(const Caller& caller, Seal seal) const {
  seal.kind = SealKind::kCookie;
  seal.nonce.clear();
  seal.expires_at = clock_.wall_now() + kCookieLife;
  const auto seconds = std::chrono::seconds(kCookieLife).count();
  return std::string(kProxyCookie) + "=" + seals_->make(seal) + "; Path=" + path_of(caller.service) +
         "; Max-Age=" + std::to_string(seconds) + "; HttpOnly; SameSite=Lax" +
         (caller.passage.is_https ? "; Secure" : "");
}

Task<std::expected<bool, http::Response>> Gatekeeper::has_right_cookie(Caller& caller) {
  if (!seals_) co_return false;
  for (const std::string& text : cookies_of(caller.request, kProxyCookie)) {
    const auto seal = seals_->read(text, SealKind::kCookie, clock_.wall_now());
    if (!seal || seal->service != caller.service.id) continue;
    if (seal->session.empty()) {
      const bool is_right = !seal->token_hash.empty() && is_same_secret(seal->token_hash, caller.service.token_hash);
      if (!is_right) continue;
      caller.rests_on(Ground::Kind::kOwnToken, seal->token_hash);
      co_return true;
    }
    std::string account;
    const auto right = co_await may(caller.service, seal->session, true, &account);
    if (right && *right) {
      caller.passage.account = account;
      caller.rests_on(Ground::Kind::kLogin, seal->session);
      co_return true;
    }
    const bool is_away =
        !right && (right.error().code == ErrorCode::kUnavailable || right.error().code == ErrorCode::kDeadlineExceeded);
    if (is_away) co_return refuse(message(right.error()));
  }
  co_return false;
}

// A browser whose login has ended goes back to where it logged in, if that is known.
http::Response Gatekeeper::no_entry(const Caller& caller) const {
  const bool shows_pages = is_browser(caller.request) && caller.is_get() && is_navigation(caller.request);
  if (!shows_pages) return message(401, caller.bearer ? "invalid credentials" : "token missing");
  if (seals_) {
    for (const std::string& text : cookies_of(caller.request, kProxyCookie)) {
      const auto seal = seals_->read(text, SealKind::kCookie, clock_.wall_now());
      if (seal && !seal->api_origin.empty()) return http::Response::see_other(seal->api_origin + caller.passage.target);
    }
  }
  return message(401, "not logged in here: open the task from the page where you log in");
}

std::string without_parameter(std::string_view target, std::string_view name) {
  const auto question = target.find('?');
  if (question == std::string_view::npos) return std::string(target);
  std::string out(target.substr(0, question));
  std::string_view left = target.substr(question + 1);
  char separator = '?';
  while (!left.empty()) {
    const auto end = left.find('&');
    const std::string_view pair = left.substr(0, end);
    left = end == std::string_view::npos ? std::string_view() : left.substr(end + 1);
    const auto parsed = http::parse_target("/?" + std::string(pair));
    if (parsed && parsed->query.has(name)) continue;
    out.push_back(std::exchange(separator, '&'));
    out.append(pair);
  }
  return out;
}

}  // namespace det::proxy
