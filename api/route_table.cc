#include "api/route_table.h"

#include <array>
#include <functional>
#include <set>
#include <vector>

#include "api/access/routes.h"
#include "api/access_check.h"
#include "api/agents/routes.h"
#include "api/allocations/routes.h"
#include "api/audit.h"
#include "api/authenticator.h"
#include "api/authorize.h"
#include "api/body_turns.h"
#include "api/checkpoints/routes.h"
#include "api/cluster/routes.h"
#include "api/error_response.h"
#include "api/experiments/routes.h"
#include "api/harness_guard.h"
#include "api/jobs/routes.h"
#include "api/live/routes.h"
#include "api/logs/routes.h"
#include "api/metrics/routes.h"
#include "api/oidc/routes.h"
#include "api/pages/routes.h"
#include "api/projects/routes.h"
#include "api/registry/routes.h"
#include "api/runs/routes.h"
#include "api/searches/routes.h"
#include "api/stream_access.h"
#include "api/tasks/routes.h"
#include "api/templates/routes.h"
#include "api/trials/routes.h"
#include "api/unmanaged/routes.h"
#include "api/usage/routes.h"
#include "api/users/routes.h"
#include "api/webhooks/routes.h"
#include "api/workspaces/routes.h"
#include "base/log.h"

namespace det::api {

namespace {

// One request on its way through the table.
struct Passage {
  ApiServices& services;
  const RouteEntry& entry;
  const http::Request& request;
  AuditNote note = {};  // whom and what the audit log is to name
};

// Who sent a request's head, for its handler.
struct Admitted {
  SharedIdentity caller;
  std::string token_hash;
};

bool is_for_anyone(const Passage& passage) {
  return passage.entry.policy.who == Who::kAnyone;
}

SharedIdentity nobody() {
  static const SharedIdentity kNobody = std::make_shared<const Identity>();
  return kNobody;
}

// The caller with this token, if allowed.
Task<Result<SharedIdentity>> identify(Passage& passage, std::string token_hash) {
  auto known = co_await passage.services.authenticator.identify_hash(std::move(token_hash));
  DET_CO_TRY(known);
  auto caller = co_await with_grants(passage.services, std::move(*known));
  DET_CO_TRY(caller);
  passage.note.caller = *caller;
  DET_CO_TRY(co_await authorize(passage.services, passage.entry.policy, passage.request, *caller));
  co_return caller;
}

// Known already where the request's head was admitted and announced no body. One may take hours to come, an empty one
// in chunks, too: the caller may be switched off or have lost a role meanwhile, and what the head named may have come
// into being as somebody else's. (At the head what does not exist passes.)
Task<Result<SharedIdentity>> caller_of(Passage& passage) {
  if (is_for_anyone(passage)) co_return nobody();
  const auto* admitted = std::any_cast<Admitted>(&passage.request.admitted);
  if (admitted != nullptr && !passage.request.announces_body) {
    passage.note.caller = admitted->caller;
    co_return admitted->caller;
  }
  auto token_hash = admitted != nullptr ? admitted->token_hash : token_hash_of(passage.request);
  DET_CO_TRY(token_hash);
  co_return co_await identify(passage, std::move(*token_hash));
}

// Files were asked for and permitted as a whole.
void keep_permitted(const Passage& passage, http::Response& response) {
  const RoutePolicy& policy = passage.entry.policy;
  if (!response.stream || policy.who == Who::kAnyone) return;
  if (response.headers.find("Content-Type").value_or("") != "application/json") return;
  response.stream = while_permitted(passage.services, policy, passage.request, std::move(response.stream));
}

Task<Result<http::Response>> handle(Passage& passage) {
  auto caller = co_await caller_of(passage);
  DET_CO_TRY(caller);
  const bool is_report = passage.entry.policy.manner == Manner::kHarness;
  const auto turn =
      co_await passage.services.body_turns.wait(passage.request.account, passage.request.body.view().size(), is_report);
  Call call{.request = passage.request, .identity = *caller, .caller = **caller, .note = passage.note};
  auto response = co_await passage.entry.handler(passage.services, std::move(call));
  if (response) keep_permitted(passage, *response);
  co_return response;
}

Task<Result<http::Response>> admit_to(Passage& passage, http::Request& request) {
  if (is_for_anyone(passage)) co_return ok();
  auto token_hash = token_hash_of(request);
  DET_CO_TRY(token_hash);
  auto caller = co_await identify(passage, *token_hash);
  DET_CO_TRY(caller);
  request.account = "user " + to_string((*caller)->user.id);
  request.admitted = Admitted{.caller = std::move(*caller), .token_hash = std::move(*token_hash)};
  co_return ok();
}

// In the route's manner.
Task<Result<http::Response>> run(Passage& passage, std::function<Task<Result<http::Response>>()> attempt) {
  if (passage.entry.policy.manner == Manner::kPlain) co_return co_await attempt();
  const Logger log = Logger("api").with({"path", passage.request.path});
  co_return co_await guard_harness(passage.services.clock, log, GuardOptions(), std::move(attempt));
}

http::Response answer_of(const Passage& passage, Result<http::Response> result) {
  std::string reason = passage.note.reason;
  if (!result) reason = result.error().message;
  http::Response response = result ? std::move(*result) : error_response(passage.request, result.error());
  if (!result && response.status >= 500 && response.status != 501) {
    const Logger log("api");
    log.warn("a request failed",
             {{"method", passage.request.method}, {"path", passage.request.path}, {"reason", reason}});
  }
  audit_request(passage.services.audit, passage.entry, passage.request, passage.note, response.status,
                std::move(reason));
  return response;
}

// Before any of the body is read.
Task<std::optional<http::Response>> admit(ApiServices& services, const RouteEntry& entry, http::Request& request) {
  Passage passage{.services = services, .entry = entry, .request = request};
  std::function<Task<Result<http::Response>>()> attempt = [&] { return admit_to(passage, request); };
  auto admitted = co_await run(passage, std::move(attempt));
  if (admitted && !admitted->drop_connection) co_return std::nullopt;
  co_return answer_of(passage, std::move(admitted));
}

Task<http::Response> serve(ApiServices& services, const RouteEntry& entry, const http::Request& request) {
  Passage passage{.services = services, .entry = entry, .request = request};
  std::function<Task<Result<http::Response>>()> attempt = [&] { return handle(passage); };
  auto result = co_await run(passage, std::move(attempt));
  co_return answer_of(passage, std::move(result));
}

// An admitted request; only an answer that is none of a websocket is told to the audit log.
Task<http::TakeoverEnd> hand_over(ApiServices& services, const RouteEntry& entry, const http::Request& request,
                                  http::ClientStream& client) {
  Passage passage{.services = services, .entry = entry, .request = request};
  auto caller = co_await caller_of(passage);
  if (!caller) co_return http::TakeoverEnd{.answer = answer_of(passage, std::unexpected(caller.error()))};
  Call call{.request = request, .identity = *caller, .caller = **caller, .note = passage.note};
  auto end = co_await entry.takeover(services, std::move(call), client);
  if (!end) co_return http::TakeoverEnd{.answer = answer_of(passage, std::unexpected(end.error()))};
  co_return std::move(*end);
}

Task<http::Response> serve_unknown_path(const http::Request& request) {
  co_return unknown_path_response(request);
}

}  // namespace

std::span<const RouteEntry> route_entries() {
  static const std::vector<RouteEntry> kEntries = [] {
    const auto rooms = std::to_array<std::span<const RouteEntry>>(
        {access_routes(),     agent_routes(),     allocation_routes(), checkpoint_routes(), cluster_routes(),
         experiment_routes(), search_routes(),    job_routes(),        log_routes(),        metric_routes(),
         page_routes(),       registry_routes(),  run_routes(),        task_routes(),       webhook_routes(),
         template_routes(),   workspace_routes(), project_routes(),    trial_routes(),      unmanaged_routes(),
         user_routes(),       usage_routes(),     oidc_routes(),       live_routes()});
    std::vector<RouteEntry> entries;
    for (const auto& room : rooms) entries.insert(entries.end(), room.begin(), room.end());
    return entries;
  }();
  return kEntries;
}

bool is_login_path(std::string_view path) {
  static const std::set<std::string_view> kPaths = [] {
    std::set<std::string_view> paths;
    for (const RouteEntry& entry : route_entries()) {
      if (std::string_view(entry.policy.action) == "login") paths.insert(entry.pattern);
    }
    return paths;
  }();
  return kPaths.contains(path);
}

http::Router make_router(ApiServices& services) {
  http::Router router;
  for (const RouteEntry& entry : route_entries()) {
    http::Handler handler;
    http::Takeover takeover;
    if (entry.takeover == nullptr) {
      handler = [&services, &entry](const http::Request& request) { return serve(services, entry, request); };
    } else {
      takeover = [&services, &entry](http::Request& request, http::ClientStream& client) {
        return hand_over(services, entry, request, client);
      };
    }
    http::Admission admission = [&services, &entry](http::Request& request) { return admit(services, entry, request); };
    router.add(entry.method, entry.pattern, std::move(handler),
               {.body_limit = static_cast<std::size_t>(entry.policy.limit),
                .admit = std::move(admission),
                .never_5xx = entry.policy.manner == Manner::kHarness,
                .takeover = std::move(takeover)});
  }
  router.set_not_found(serve_unknown_path);
  router.set_wrong_method(serve_unknown_path);
  return router;
}

}  // namespace det::api
