#include "api/route_table.h"

#include <array>
#include <functional>

#include "api/authenticator.h"
#include "api/authorize.h"
#include "api/error_response.h"
#include "api/harness_guard.h"
#include "api/routes/handlers.h"
#include "base/log.h"

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/", kAnyone, kNobody, kPlain, kNone, front_page},
    {"GET", "/info", kAnyone, kNobody, kPlain, kNone, info},
    {"GET", "/health", kAnyone, kNobody, kPlain, kNone, health},
    {"GET", "/ready", kAnyone, kNobody, kPlain, kNone, ready},
    {"GET", "/metrics", kAnyone, kNobody, kPlain, kNone, metrics},
    {"GET", "/prom/det-state-metrics", kAnyone, kNobody, kPlain, kNone, state_metrics},
    {"GET", "/harness/wheels", kAnyone, kNobody, kPlain, kNone, list_wheels},
    {"GET", "/harness/wheels/{name}", kAnyone, kNobody, kPlain, kNone, get_wheel},
    {"POST", "/api/v1/auth/login", kAnyone, kNobody, kPlain, kLogin, login},
    {"POST", "/api/v1/auth/logout", kPeople, kNobody, kPlain, kNone, logout},
    {"GET", "/api/v1/master", kAnyone, kNobody, kPlain, kNone, master},
    {"GET", "/api/v1/me", kAnyToken, kNobody, kHarness, kNone, me},
    {"GET", "/api/v1/users", kPeople, kNobody, kPlain, kNone, list_users},
    {"POST", "/api/v1/users", kAdminLogin, kNobody, kPlain, kSmall, create_user},
    {"GET", "/api/v1/users/{id}", kPeople, kNobody, kPlain, kNone, get_user},
    {"PATCH", "/api/v1/users/{id}", kOwnerLogin, kUser, kPlain, kSmall, patch_user},
    {"GET", "/api/v1/users/{name}/by-username", kPeople, kNobody, kPlain, kNone, get_user_by_name},
    {"GET", "/api/v1/workspaces", kPeople, kNobody, kPlain, kNone, list_workspaces},
    {"GET", "/api/v1/workspaces/{id}", kPeople, kNobody, kPlain, kNone, get_workspace},
    {"GET", "/api/v1/templates", kPeople, kNobody, kPlain, kNone, list_templates},
    {"GET", "/api/v1/templates/{name}", kPeople, kNobody, kPlain, kNone, get_template},
    {"POST", "/api/v1/templates/{name}", kPeople, kNobody, kPlain, kText, create_template},
    {"PATCH", "/api/v1/templates/{name}", kOwner, kTemplate, kPlain, kText, patch_template},
    {"DELETE", "/api/v1/templates/{name}", kOwner, kTemplate, kPlain, kNone, delete_template},
    {"GET", "/api/v1/config-policies/global/{type}", kPeople, kNobody, kPlain, kNone, get_global_policy},
    {"PUT", "/api/v1/config-policies/global/{type}", kAdminLogin, kNobody, kPlain, kText, put_global_policy},
    {"DELETE", "/api/v1/config-policies/global/{type}", kAdminLogin, kNobody, kPlain, kNone, delete_global_policy},
    {"GET", "/api/v1/config-policies/workspaces/{id}/{type}", kPeople, kNobody, kPlain, kNone, get_workspace_policy},
    {"PUT", "/api/v1/config-policies/workspaces/{id}/{type}", kOwnerLogin, kWorkspace, kPlain, kText,
     put_workspace_policy},
    {"DELETE", "/api/v1/config-policies/workspaces/{id}/{type}", kOwnerLogin, kWorkspace, kPlain, kNone,
     delete_workspace_policy},
    {"GET", "/api/v1/experiments", kPeople, kNobody, kPlain, kNone, list_experiments},
    {"POST", "/api/v1/experiments", kPeople, kNobody, kPlain, kUpload, create_experiment},
    {"POST", "/api/v1/experiments/continue", kPeople, kNamedInBody, kPlain, kText, continue_experiment},
    {"GET", "/api/v1/experiments/{id}", kPeople, kExperiment, kPlain, kNone, get_experiment},
    {"PATCH", "/api/v1/experiments/{id}", kPeople, kExperiment, kPlain, kSmall, patch_experiment},
    {"DELETE", "/api/v1/experiments/{id}", kOwner, kExperiment, kPlain, kNone, delete_experiment},
    {"GET", "/api/v1/experiments/{id}/model_def", kPeople, kExperiment, kPlain, kNone, get_model_def},
    {"GET", "/api/v1/experiments/{id}/trials", kPeople, kExperiment, kPlain, kNone, list_trials},
    {"GET", "/api/v1/experiments/{id}/checkpoints", kPeople, kExperiment, kPlain, kNone, experiment_checkpoints},
    {"POST", "/api/v1/experiments/{id}/pause", kPeople, kExperiment, kPlain, kSmall, pause},
    {"POST", "/api/v1/experiments/{id}/activate", kPeople, kExperiment, kPlain, kSmall, activate},
    {"POST", "/api/v1/experiments/{id}/cancel", kPeople, kExperiment, kPlain, kSmall, cancel},
    {"POST", "/api/v1/experiments/{id}/kill", kPeople, kExperiment, kPlain, kSmall, kill},
    {"POST", "/api/v1/experiments/{id}/archive", kPeople, kExperiment, kPlain, kSmall, archive},
    {"POST", "/api/v1/experiments/{id}/unarchive", kPeople, kExperiment, kPlain, kSmall, unarchive},
    {"POST", "/api/v1/preview-hp-search", kPeople, kNobody, kPlain, kText, preview_search},
    {"GET", "/api/v1/experiments/{id}/searcher/best_searcher_validation_metric", kAnyToken, kExperiment, kHarness,
     kNone, best_validation_metric},
    {"GET", "/api/v1/experiments/{id}/searcher/replay", kPeople, kExperiment, kPlain, kNone, replay_search},
    {"GET", "/api/v1/experiments/{id}/searcher_events", kOwner, kExperiment, kHarness, kNone, searcher_events},
    {"POST", "/api/v1/experiments/{id}/searcher_operations", kOwner, kExperiment, kHarness, kReport,
     post_searcher_operations},
    {"GET", "/api/v1/trials/{id}", kAnyToken, kTrial, kHarness, kNone, get_trial},
    {"GET", "/api/v1/trials/{id}/workloads", kPeople, kTrial, kPlain, kNone, trial_workloads},
    {"GET", "/api/v1/trials/{id}/checkpoints", kPeople, kTrial, kPlain, kNone, trial_checkpoints},
    {"GET", "/api/v1/trials/{id}/logs", kPeople, kTrial, kPlain, kNone, trial_logs},
    {"GET", "/api/v1/trials/{id}/logs/fields", kPeople, kTrial, kPlain, kNone, trial_log_fields},
    {"POST", "/api/v1/trials/{id}/kill", kPeople, kTrial, kPlain, kSmall, kill_trial},
    {"POST", "/api/v1/trials/{id}/metrics", kItsTask, kTrial, kHarness, kReport, report_metrics},
    {"POST", "/api/v1/trials/{id}/progress", kItsTask, kTrial, kHarness, kSmall, report_progress},
    {"POST", "/api/v1/trials/{id}/runner/metadata", kItsTask, kTrial, kHarness, kSmall, report_runner_state},
    {"POST", "/api/v1/trials/{id}/early_exit", kItsTask, kTrial, kHarness, kSmall, report_early_exit},
    {"GET", "/api/v1/trials/{id}/searcher/operation", kItsTask, kTrial, kHarness, kNone, searcher_operation},
    {"POST", "/api/v1/trials/{id}/searcher/completed_operation", kItsTask, kTrial, kHarness, kSmall,
     complete_operation},
    {"POST", "/api/v1/runs/start", kAnyToken, kNobody, kHarness, kSmall, start_run},
    {"POST", "/api/v1/webhooks/custom", kAnyToken, kNobody, kHarness, kSmall, custom_webhook},
    {"GET", "/api/v1/allocations/{id}/resources/{resources}/rendezvous", kItsTask, kAllocation, kHarness, kNone,
     rendezvous},
    {"POST", "/api/v1/allocations/{id}/resources/{resources}/daemon", kItsTask, kAllocation, kHarness, kSmall,
     report_daemon},
    {"GET", "/api/v1/allocations/{id}/signals/preemption", kItsTask, kAllocation, kHarness, kNone, preemption},
    {"POST", "/api/v1/allocations/{id}/signals/ack_preemption", kItsTask, kAllocation, kHarness, kSmall,
     ack_preemption},
    {"POST", "/api/v1/allocations/{id}/signals/pending_preemption", kItsTask, kAllocation, kHarness, kSmall,
     pending_preemption},
    {"GET", "/api/v1/allocations/{id}/code_commit", kItsTask, kAllocation, kHarness, kNone, find_code_commit},
    {"POST", "/api/v1/allocations/{id}/code_commit", kItsTask, kAllocation, kHarness, kSmall, pin_code_commit},
    {"POST", "/api/v1/allocations/{id}/acceleratorData", kItsTask, kAllocation, kHarness, kSmall, report_accelerator},
    {"POST", "/api/v1/allocations/{id}/proxy_address", kItsTask, kAllocation, kHarness, kSmall, report_proxy_address},
    {"POST", "/api/v1/allocations/{id}/ready", kItsTask, kAllocation, kHarness, kSmall, report_ready},
    {"POST", "/api/v1/allocations/{id}/waiting", kItsTask, kAllocation, kHarness, kSmall, report_waiting},
    {"POST", "/api/v1/allocations/{id}/all_gather", kItsTask, kAllocation, kHarness, kSmall, all_gather},
    {"GET", "/api/v1/job-queues", kPeople, kNobody, kPlain, kNone, list_jobs},
    {"POST", "/api/v1/job-queues", kPeople, kNobody, kPlain, kSmall, update_jobs},
    {"GET", "/api/v1/job-queues-v2", kPeople, kNobody, kPlain, kNone, list_jobs_v2},
    {"GET", "/api/v1/job-queues/stats", kPeople, kNobody, kPlain, kNone, job_stats},
    {"GET", "/api/v1/job-queues/{id}/reason", kPeople, kNobody, kPlain, kNone, explain_job},
    {"GET", "/api/v1/agents", kPeople, kNobody, kPlain, kNone, list_agents},
    {"GET", "/api/v1/agents/{id}", kPeople, kNobody, kPlain, kNone, get_agent},
    {"POST", "/api/v1/agents/{id}/enable", kPeople, kNobody, kPlain, kSmall, enable_agent},
    {"POST", "/api/v1/agents/{id}/disable", kPeople, kNobody, kPlain, kSmall, disable_agent},
    {"GET", "/api/v1/resource-pools", kPeople, kNobody, kPlain, kNone, list_resource_pools},
    {"GET", "/api/v1/tasks", kPeople, kNobody, kPlain, kNone, list_tasks},
    {"GET", "/api/v1/tasks/count", kPeople, kNobody, kPlain, kNone, count_tasks},
    {"GET", "/api/v1/tasks/{id}", kPeople, kTask, kPlain, kNone, get_task},
    {"GET", "/api/v1/tasks/{id}/logs", kPeople, kTask, kPlain, kNone, task_logs},
    {"GET", "/api/v1/tasks/{id}/logs/fields", kPeople, kTask, kPlain, kNone, task_log_fields},
    {"GET", "/api/v1/tasks/{id}/context_directory", kAnyToken, kTask, kHarness, kNone, context_directory},
    {"POST", "/api/v1/task/logs", kItsTask, kNamedInBody, kHarness, kLogs, post_logs},
    {"POST", "/api/v1/checkpoints", kItsTask, kNamedInBody, kHarness, kReport, report_checkpoint},
    {"PATCH", "/api/v1/checkpoints", kItsTask, kNamedInBody, kHarness, kReport, patch_checkpoints},
    {"DELETE", "/api/v1/checkpoints", kPeople, kNobody, kPlain, kSmall, delete_checkpoints},
    {"POST", "/api/v1/checkpoints/rm", kPeople, kNobody, kPlain, kSmall, delete_checkpoints},
    {"GET", "/api/v1/checkpoints/{uuid}", kAnyToken, kNobody, kHarness, kNone, get_checkpoint},
});

// Who asks, if he may. Known already when the request's head was admitted.
Task<Result<Identity>> identify(Services& services, const RouteEntry& entry, const http::Request& request) {
  if (const auto* known = std::any_cast<Identity>(&request.admitted)) co_return *known;
  if (entry.policy.who == Who::kAnyone) co_return Identity();
  auto caller = co_await services.authenticator.identify(request);
  if (!caller) co_return std::unexpected(caller.error());
  const Status allowed = co_await authorize(services, entry.policy, request, *caller);
  if (!allowed) co_return std::unexpected(allowed.error());
  co_return caller;
}

Task<Result<http::Response>> handle(Services& services, const RouteEntry& entry, const http::Request& request) {
  auto caller = co_await identify(services, entry, request);
  if (!caller) co_return std::unexpected(caller.error());
  co_return co_await entry.handler(services, Call{.request = request, .caller = std::move(*caller)});
}

Task<Result<http::Response>> admit_to(Services& services, const RouteEntry& entry, http::Request& request) {
  auto caller = co_await identify(services, entry, request);
  if (!caller) co_return std::unexpected(caller.error());
  if (caller->kind != TokenKind::kNone) request.account = "user " + to_string(caller->user.id);
  request.admitted = std::move(*caller);
  co_return ok();
}

// In the route's manner.
Task<Result<http::Response>> run(Services& services, const RouteEntry& entry, const http::Request& request,
                                 std::function<Task<Result<http::Response>>()> attempt) {
  if (entry.policy.manner == Manner::kPlain) co_return co_await attempt();
  const Logger log = Logger("api").with({"path", request.path});
  co_return co_await guard_harness(services.clock, log, GuardOptions(), std::move(attempt));
}

http::Response answer_of(const http::Request& request, Result<http::Response> result) {
  if (result) return std::move(*result);
  http::Response response = error_response(request, result.error());
  if (response.status >= 500 && response.status != 501) {
    const Logger log("api");
    log.warn("a request failed",
             {{"method", request.method}, {"path", request.path}, {"reason", result.error().message}});
  }
  return response;
}

// Before any of the body is read.
Task<std::optional<http::Response>> admit(Services& services, const RouteEntry& entry, http::Request& request) {
  std::function<Task<Result<http::Response>>()> attempt = [&] { return admit_to(services, entry, request); };
  auto admitted = co_await run(services, entry, request, std::move(attempt));
  if (admitted && !admitted->drop_connection) co_return std::nullopt;
  co_return answer_of(request, std::move(admitted));
}

Task<http::Response> serve(Services& services, const RouteEntry& entry, const http::Request& request) {
  std::function<Task<Result<http::Response>>()> attempt = [&] { return handle(services, entry, request); };
  auto result = co_await run(services, entry, request, std::move(attempt));
  co_return answer_of(request, std::move(result));
}

Task<http::Response> serve_unknown_path(const http::Request& request) {
  co_return unknown_path_response(request);
}

}  // namespace

std::span<const RouteEntry> route_entries() {
  return kRoutes;
}

http::Router make_router(Services& services) {
  http::Router router;
  for (const RouteEntry& entry : kRoutes) {
    http::Handler handler = [&services, &entry](const http::Request& request) {
      return serve(services, entry, request);
    };
    http::Admission admission = [&services, &entry](http::Request& request) { return admit(services, entry, request); };
    router.add(entry.method, entry.pattern, std::move(handler),
               {.body_limit = static_cast<std::size_t>(entry.policy.limit),
                .admit = std::move(admission),
                .never_5xx = entry.policy.manner == Manner::kHarness});
  }
  router.set_not_found(serve_unknown_path);
  router.set_wrong_method(serve_unknown_path);
  return router;
}

}  // namespace det::api
