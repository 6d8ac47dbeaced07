#include "api/route_table.h"

#include <array>

#include "api/authenticator.h"
#include "api/error_response.h"
#include "api/harness_guard.h"
#include "api/routes/handlers.h"
#include "base/log.h"

namespace det::api {

namespace {

enum class Access : std::uint8_t {
  kOpen,     // nobody asks who it is
  kUser,     // any token
  kHarness,  // any token; waits for the database and never answers 5xx
};

struct Entry {
  const char* method;
  const char* pattern;
  Access access;
  HandlerFn handler;
  std::size_t body_limit = std::size_t{8} << 20;
};

constexpr std::size_t kUploadLimit = std::size_t{168} << 20;  // 96 MiB of files as base64, and the JSON around them
constexpr std::size_t kReportLimit = std::size_t{64} << 20;

using namespace routes;

constexpr auto kRoutes = std::to_array<Entry>({
    {"GET", "/", Access::kOpen, front_page},
    {"GET", "/info", Access::kOpen, info},
    {"GET", "/health", Access::kOpen, health},
    {"GET", "/ready", Access::kOpen, ready},
    {"GET", "/metrics", Access::kOpen, metrics},
    {"GET", "/prom/det-state-metrics", Access::kOpen, state_metrics},
    {"GET", "/harness/wheels", Access::kOpen, list_wheels},
    {"GET", "/harness/wheels/{name}", Access::kOpen, get_wheel},

    {"POST", "/api/v1/auth/login", Access::kOpen, login},
    {"POST", "/api/v1/auth/logout", Access::kUser, logout},
    {"GET", "/api/v1/master", Access::kOpen, master},
    {"GET", "/api/v1/me", Access::kHarness, me},
    {"GET", "/api/v1/users", Access::kUser, list_users},
    {"POST", "/api/v1/users", Access::kUser, create_user},
    {"GET", "/api/v1/users/{id}", Access::kUser, get_user},
    {"PATCH", "/api/v1/users/{id}", Access::kUser, patch_user},
    {"GET", "/api/v1/users/{name}/by-username", Access::kUser, get_user_by_name},

    {"GET", "/api/v1/workspaces", Access::kUser, list_workspaces},
    {"GET", "/api/v1/workspaces/{id}", Access::kUser, get_workspace},
    {"GET", "/api/v1/templates", Access::kUser, list_templates},
    {"GET", "/api/v1/templates/{name}", Access::kUser, get_template},
    {"POST", "/api/v1/templates/{name}", Access::kUser, create_template},
    {"PATCH", "/api/v1/templates/{name}", Access::kUser, patch_template},
    {"DELETE", "/api/v1/templates/{name}", Access::kUser, delete_template},
    {"GET", "/api/v1/config-policies/global/{type}", Access::kUser, get_global_policy},
    {"PUT", "/api/v1/config-policies/global/{type}", Access::kUser, put_global_policy},
    {"DELETE", "/api/v1/config-policies/global/{type}", Access::kUser, delete_global_policy},
    {"GET", "/api/v1/config-policies/workspaces/{id}/{type}", Access::kUser, get_workspace_policy},
    {"PUT", "/api/v1/config-policies/workspaces/{id}/{type}", Access::kUser, put_workspace_policy},
    {"DELETE", "/api/v1/config-policies/workspaces/{id}/{type}", Access::kUser, delete_workspace_policy},

    {"GET", "/api/v1/experiments", Access::kUser, list_experiments},
    {"POST", "/api/v1/experiments", Access::kUser, create_experiment, kUploadLimit},
    {"POST", "/api/v1/experiments/continue", Access::kUser, continue_experiment, kUploadLimit},
    {"GET", "/api/v1/experiments/{id}", Access::kUser, get_experiment},
    {"PATCH", "/api/v1/experiments/{id}", Access::kUser, patch_experiment},
    {"DELETE", "/api/v1/experiments/{id}", Access::kUser, delete_experiment},
    {"GET", "/api/v1/experiments/{id}/model_def", Access::kUser, get_model_def},
    {"GET", "/api/v1/experiments/{id}/trials", Access::kUser, list_trials},
    {"GET", "/api/v1/experiments/{id}/checkpoints", Access::kUser, experiment_checkpoints},
    {"POST", "/api/v1/experiments/{id}/pause", Access::kUser, pause},
    {"POST", "/api/v1/experiments/{id}/activate", Access::kUser, activate},
    {"POST", "/api/v1/experiments/{id}/cancel", Access::kUser, cancel},
    {"POST", "/api/v1/experiments/{id}/kill", Access::kUser, kill},
    {"POST", "/api/v1/experiments/{id}/archive", Access::kUser, archive},
    {"POST", "/api/v1/experiments/{id}/unarchive", Access::kUser, unarchive},
    {"POST", "/api/v1/preview-hp-search", Access::kUser, preview_search},
    {"GET", "/api/v1/experiments/{id}/searcher/best_searcher_validation_metric", Access::kHarness,
     best_validation_metric},
    {"GET", "/api/v1/experiments/{id}/searcher/replay", Access::kUser, replay_search},
    {"GET", "/api/v1/experiments/{id}/searcher_events", Access::kHarness, searcher_events},
    {"POST", "/api/v1/experiments/{id}/searcher_operations", Access::kHarness, post_searcher_operations, kReportLimit},

    {"GET", "/api/v1/trials/{id}", Access::kHarness, get_trial},
    {"GET", "/api/v1/trials/{id}/workloads", Access::kUser, trial_workloads},
    {"GET", "/api/v1/trials/{id}/checkpoints", Access::kUser, trial_checkpoints},
    {"GET", "/api/v1/trials/{id}/logs", Access::kUser, trial_logs},
    {"GET", "/api/v1/trials/{id}/logs/fields", Access::kUser, trial_log_fields},
    {"POST", "/api/v1/trials/{id}/kill", Access::kUser, kill_trial},
    {"POST", "/api/v1/trials/{id}/metrics", Access::kHarness, report_metrics, kReportLimit},
    {"POST", "/api/v1/trials/{id}/progress", Access::kHarness, report_progress},
    {"POST", "/api/v1/trials/{id}/runner/metadata", Access::kHarness, report_runner_state},
    {"POST", "/api/v1/trials/{id}/early_exit", Access::kHarness, report_early_exit},
    {"GET", "/api/v1/trials/{id}/searcher/operation", Access::kHarness, searcher_operation},
    {"POST", "/api/v1/trials/{id}/searcher/completed_operation", Access::kHarness, complete_operation},
    {"POST", "/api/v1/runs/start", Access::kHarness, start_run},
    {"POST", "/api/v1/webhooks/custom", Access::kHarness, custom_webhook},

    {"GET", "/api/v1/allocations/{id}/resources/{resources}/rendezvous", Access::kHarness, rendezvous},
    {"POST", "/api/v1/allocations/{id}/resources/{resources}/daemon", Access::kHarness, report_daemon},
    {"GET", "/api/v1/allocations/{id}/signals/preemption", Access::kHarness, preemption},
    {"POST", "/api/v1/allocations/{id}/signals/ack_preemption", Access::kHarness, ack_preemption},
    {"POST", "/api/v1/allocations/{id}/signals/pending_preemption", Access::kHarness, pending_preemption},
    {"GET", "/api/v1/allocations/{id}/code_commit", Access::kHarness, find_code_commit},
    {"POST", "/api/v1/allocations/{id}/code_commit", Access::kHarness, pin_code_commit},
    {"POST", "/api/v1/allocations/{id}/acceleratorData", Access::kHarness, report_accelerator},
    {"POST", "/api/v1/allocations/{id}/proxy_address", Access::kHarness, report_proxy_address},
    {"POST", "/api/v1/allocations/{id}/ready", Access::kHarness, report_ready},
    {"POST", "/api/v1/allocations/{id}/waiting", Access::kHarness, report_waiting},
    {"POST", "/api/v1/allocations/{id}/all_gather", Access::kHarness, all_gather},

    {"GET", "/api/v1/job-queues", Access::kUser, list_jobs},
    {"POST", "/api/v1/job-queues", Access::kUser, update_jobs},
    {"GET", "/api/v1/job-queues-v2", Access::kUser, list_jobs_v2},
    {"GET", "/api/v1/job-queues/stats", Access::kUser, job_stats},
    {"GET", "/api/v1/job-queues/{id}/reason", Access::kUser, explain_job},
    {"GET", "/api/v1/agents", Access::kUser, list_agents},
    {"GET", "/api/v1/agents/{id}", Access::kUser, get_agent},
    {"POST", "/api/v1/agents/{id}/enable", Access::kUser, enable_agent},
    {"POST", "/api/v1/agents/{id}/disable", Access::kUser, disable_agent},
    {"GET", "/api/v1/resource-pools", Access::kUser, list_resource_pools},

    {"GET", "/api/v1/tasks", Access::kUser, list_tasks},
    {"GET", "/api/v1/tasks/count", Access::kUser, count_tasks},
    {"GET", "/api/v1/tasks/{id}", Access::kUser, get_task},
    {"GET", "/api/v1/tasks/{id}/logs", Access::kUser, task_logs},
    {"GET", "/api/v1/tasks/{id}/logs/fields", Access::kUser, task_log_fields},
    {"GET", "/api/v1/tasks/{id}/context_directory", Access::kHarness, context_directory},
    {"POST", "/api/v1/task/logs", Access::kHarness, post_logs, kReportLimit},

    {"POST", "/api/v1/checkpoints", Access::kHarness, report_checkpoint, kReportLimit},
    {"PATCH", "/api/v1/checkpoints", Access::kHarness, patch_checkpoints, kReportLimit},
    {"DELETE", "/api/v1/checkpoints", Access::kUser, delete_checkpoints},
    {"POST", "/api/v1/checkpoints/rm", Access::kUser, delete_checkpoints},
    {"GET", "/api/v1/checkpoints/{uuid}", Access::kHarness, get_checkpoint},
});

Task<Result<http::Response>> authenticated(Services& services, const http::Request& request, HandlerFn handler) {
  auto caller = co_await services.authenticator.identify(request);
  if (!caller) co_return std::unexpected(caller.error());
  co_return co_await handler(services, Call{.request = request, .caller = std::move(*caller)});
}

Task<http::Response> serve(Services& services, const Entry& entry, const http::Request& request) {
  Result<http::Response> result = fail(ErrorCode::kInternal, "not handled");
  switch (entry.access) {
    case Access::kOpen:
      result = co_await entry.handler(services, Call{.request = request, .caller = {}});
      break;
    case Access::kUser:
      result = co_await authenticated(services, request, entry.handler);
      break;
    case Access::kHarness: {
      std::function<Task<Result<http::Response>>()> attempt = [&services, &request, &entry] {
        return authenticated(services, request, entry.handler);
      };
      const Logger log = Logger("api").with({"path", request.path});
      result = co_await guard_harness(services.clock, log, GuardOptions(), std::move(attempt));
      break;
    }
  }
  if (result) co_return std::move(*result);
  http::Response response = error_response(request, result.error());
  if (response.status >= 500 && response.status != 501) {
    const Logger log("api");
    log.warn("a request failed",
             {{"method", request.method}, {"path", request.path}, {"reason", result.error().message}});
  }
  co_return response;
}

Task<http::Response> serve_unknown_path(const http::Request& request) {
  co_return unknown_path_response(request);
}

}  // namespace

http::Router make_router(Services& services) {
  http::Router router;
  for (const Entry& entry : kRoutes) {
    http::Handler handler = [&services, &entry](const http::Request& request) {
      return serve(services, entry, request);
    };
    router.add(entry.method, entry.pattern, std::move(handler), {.body_limit = entry.body_limit});
  }
  router.set_not_found(serve_unknown_path);
  router.set_wrong_method(serve_unknown_path);
  return router;
}

}  // namespace det::api
