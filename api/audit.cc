#include "api/audit.h"

#include <string_view>
#include <utility>

#include "http/connection_book.h"

namespace det::api {
namespace {

constexpr std::string_view kApi = "/api/v1/";
constexpr std::size_t kLongestParam = 100;

std::string name_of(const Identity& caller) {
  switch (caller.kind) {
    case TokenKind::kNone:
      return "";
    case TokenKind::kLogin:
      return caller.access_token ? "access token " + std::to_string(*caller.access_token) : "login";
    case TokenKind::kTaskUser:
      return "task user";
    case TokenKind::kTaskSession:
      return "task session";
  }
  return "";
}

}  // namespace

std::string audit_object(std::string_view pattern, const http::Params& params) {
  const auto last = pattern.rfind('}');
  if (last == std::string_view::npos) return {};
  std::string_view rest = pattern.substr(0, last + 1);
  if (rest.starts_with(kApi)) rest.remove_prefix(kApi.size());
  std::string object;
  while (!rest.empty()) {
    const auto open = rest.find('{');
    object += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = rest.find('}', open);
    object += params.get(rest.substr(open + 1, close - open - 1)).substr(0, kLongestParam);
    rest.remove_prefix(close + 1);
  }
  return object;
}

void audit_request(AuditLog& log, const RouteEntry& entry, const http::Request& request, const AuditNote& note,
                   int status, std::string reason) {
  const std::string action = entry.policy.action;
  const bool is_denied = status == 401 || status == 403 || status == 429;
  if (action.empty() && !is_denied) return;
  std::string object = note.object.empty() ? audit_object(entry.pattern, request.params) : note.object;
  if (action.empty()) object = std::string(entry.method) + " " + request.path;
  log.record({.at = {},
              .action = action.empty() ? "denied" : action,
              .user = note.caller ? note.caller->user.username : note.user,
              .token = note.caller ? name_of(*note.caller) : "",
              .object = std::move(object),
              .from = http::address_of_peer(request.peer),
              .forwarded = std::string(request.headers.find("X-Forwarded-For").value_or("")),
              .status = status,
              .reason = std::move(reason)});
}

}  // namespace det::api
