#include "api/route_table.h"

#include <array>
#include <functional>

#include "api/audit.h"
#include "api/authenticator.h"
#include "api/authorize.h"
#include "api/body_turns.h"
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
    {"GET", "/", kAnyone, kNobody, kPlain, kNone, kNoEvent, front_page},
    {"GET", "/info", kAnyone, kNobody, kPlain, kNone, kNoEvent, info},
    {"GET", "/health", kAnyone, kNobody, kPlain, kNone, kNoEvent, health},
    {"GET", "/ready", kAnyone, kNobody, kPlain, kNone, kNoEvent, ready},
    {"GET", "/metrics", kAnyone, kNobody, kPlain, kNone, kNoEvent, metrics},
    {"GET", "/prom/det-state-metrics", kAnyone, kNobody, kPlain, kNone, kNoEvent, state_metrics},
    {"GET", "/harness/wheels", kAnyone, kNobody, kPlain, kNone, kNoEvent, list_wheels},
    {"GET", "/harness/wheels/{name}", kAnyone, kNobody, kPlain, kNone, kNoEvent, get_wheel},
    {"POST", "/api/v1/auth/login", kAnyone, kNobody, kPlain, kLogin, "login", login},
    {"POST", "/api/v1/auth/logout", kPeople, kNobody, kPlain, kNone, "logout", logout},
    {"GET", "/api/v1/master", kAnyone, kNobody, kPlain, kNone, kNoEvent, master},
    {"GET", "/api/v1/me", kAnyToken, kNobody, kHarness, kNone, kNoEvent, me},
    {"GET", "/api/v1/users", kPeople, kNobody, kPlain, kNone, kNoEvent, list_users},
    {"POST", "/api/v1/users", kAdminLogin, kNobody, kPlain, kSmall, "user.create", create_user},
    {"GET", "/api/v1/users/{id}", kPeople, kNobody, kPlain, kNone, kNoEvent, get_user},
    {"PATCH", "/api/v1/users/{id}", kOwnerLogin, kUser, kPlain, kSmall, "user.change", patch_user},
    {"GET", "/api/v1/users/{name}/by-username", kPeople, kNobody, kPlain, kNone, kNoEvent, get_user_by_name},
    {"GET", "/api/v1/workspaces", kPeople, kNobody, kPlain, kNone, kNoEvent, list_workspaces},
    {"GET", "/api/v1/workspaces/{id}", kPeople, kNobody, kPlain, kNone, kNoEvent, get_workspace},
    {"GET", "/api/v1/templates", kPeople, kNobody, kPlain, kNone, kNoEvent, list_templates},
    {"GET", "/api/v1/templates/{name}", kPeople, kNobody, kPlain, kNone, kNoEvent, get_template},
    {"POST", "/api/v1/templates/{name}", kPeople, kNobody, kPlain, kText, "template.create", create_template},
    {"PATCH", "/api/v1/templates/{name}", kOwner, kTemplate, kPlain, kText, "template.change", patch_template},
    {"DELETE", "/api/v1/templates/{name}", kOwner, kTemplate, kPlain, kNone, "template.delete", delete_template},
    {"GET", "/api/v1/config-policies/global/{type}", kPeople, kNobody, kPlain, kNone, kNoEvent, get_global_policy},
    {"PUT", "/api/v1/config-policies/global/{type}", kAdminLogin, kNobody, kPlain, kText, "policy.set",
     put_global_policy},
    {"DELETE", "/api/v1/config-policies/global/{type}", kAdminLogin, kNobody, kPlain, kNone, "policy.delete",
     delete_global_policy},
    {"GET", "/api/v1/config-policies/workspaces/{id}/{type}", kPeople, kNobody, kPlain, kNone, kNoEvent,
     get_workspace_policy},
    {"PUT", "/api/v1/config-policies/workspaces/{id}/{type}", kOwnerLogin, kWorkspace, kPlain, kText, "policy.set",
     put_workspace_policy},
    {"DELETE", "/api/v1/config-policies/workspaces/{id}/{type}", kOwnerLogin, kWorkspace, kPlain, kNone,
     "policy.delete", delete_workspace_policy},
    {"GET", "/api/v1/experiments", kPeople, kNobody, kPlain, kNone, kNoEvent, list_experiments},
    {"POST", "/api/v1/experiments", kPeople, kNobody, kPlain, kUpload, "experiment.create", create_experiment},
    {"POST", "/api/v1/experiments/continue", kPeople, kNamedInBody, kPlain, kText, "experiment.continue",
     continue_experiment},
    {"GET", "/api/v1/experiments/{id}", kPeople, kExperiment, kPlain, kNone, kNoEvent, get_experiment},
    {"PATCH", "/api/v1/experiments/{id}", kPeople, kExperiment, kPlain, kSmall, "experiment.change", patch_experiment},
    {"DELETE", "/api/v1/experiments/{id}", kOwner, kExperiment, kPlain, kNone, "experiment.delete", delete_experiment},
    {"GET", "/api/v1/experiments/{id}/model_def", kPeople, kExperiment, kPlain, kNone, kNoEvent, get_model_def},
    {"GET", "/api/v1/experiments/{id}/trials", kPeople, kExperiment, kPlain, kNone, kNoEvent, list_trials},
    {"GET", "/api/v1/experiments/{id}/checkpoints", kPeople, kExperiment, kPlain, kNone, kNoEvent,
     experiment_checkpoints},
    {"POST", "/api/v1/experiments/{id}/pause", kPeople, kExperiment, kPlain, kSmall, "experiment.pause", pause},
    {"POST", "/api/v1/experiments/{id}/activate", kPeople, kExperiment, kPlain, kSmall, "experiment.activate",
     activate},
    {"POST", "/api/v1/experiments/{id}/cancel", kPeople, kExperiment, kPlain, kSmall, "experiment.cancel", cancel},
    {"POST", "/api/v1/experiments/{id}/kill", kPeople, kExperiment, kPlain, kSmall, "experiment.kill", kill},
    {"POST", "/api/v1/experiments/{id}/archive", kPeople, kExperiment, kPlain, kSmall, "experiment.archive", archive},
    {"POST", "/api/v1/experiments/{id}/unarchive", kPeople, kExperiment, kPlain, kSmall, "experiment.unarchive",
     unarchive},
    {"POST", "/api/v1/preview-hp-search", kPeople, kNobody, kPlain, kText, kNoEvent, preview_search},
    {"GET", "/api/v1/experiments/{id}/searcher/best_searcher_validation_metric", kAnyToken, kExperiment, kHarness,
     kNone, kNoEvent, best_validation_metric},
    {"GET", "/api/v1/experiments/{id}/searcher/replay", kPeople, kExperiment, kPlain, kNone, kNoEvent, replay_search},
    {"GET", "/api/v1/experiments/{id}/searcher_events", kOwner, kExperiment, kHarness, kNone, kNoEvent,
     searcher_events},
    {"POST", "/api/v1/experiments/{id}/searcher_operations", kOwner, kExperiment, kHarness, kReport, kNoEvent,
     post_searcher_operations},
    {"GET", "/api/v1/trials/{id}", kAnyToken, kTrial, kHarness, kNone, kNoEvent, get_trial},
    {"GET", "/api/v1/trials/{id}/workloads", kPeople, kTrial, kPlain, kNone, kNoEvent, trial_workloads},
    {"GET", "/api/v1/trials/{id}/checkpoints", kPeople, kTrial, kPlain, kNone, kNoEvent, trial_checkpoints},
    {"GET", "/api/v1/trials/{id}/logs", kPeople, kTrial, kPlain, kNone, kNoEvent, trial_logs},
    {"GET", "/api/v1/trials/{id}/logs/fields", kPeople, kTrial, kPlain, kNone, kNoEvent, trial_log_fields},
    {"POST", "/api/v1/trials/{id}/kill", kPeople, kTrial, kPlain, kSmall, "trial.kill", kill_trial},
    {"POST", "/api/v1/trials/{id}/metrics", kItsTask, kTrial, kHarness, kReport, kNoEvent, report_metrics},
    {"POST", "/api/v1/trials/{id}/progress", kItsTask, kTrial, kHarness, kSmall, kNoEvent, report_progress},
    {"POST", "/api/v1/trials/{id}/runner/metadata", kItsTask, kTrial, kHarness, kSmall, kNoEvent, report_runner_state},
    {"POST", "/api/v1/trials/{id}/early_exit", kItsTask, kTrial, kHarness, kSmall, kNoEvent, report_early_exit},
    {"GET", "/api/v1/trials/{id}/searcher/operation", kItsTask, kTrial, kHarness, kNone, kNoEvent, searcher_operation},
    {"POST", "/api/v1/trials/{id}/searcher/completed_operation", kItsTask, kTrial, kHarness, kSmall, kNoEvent,
     complete_operation},
    {"POST", "/api/v1/runs/start", kAnyToken, kNobody, kHarness, kSmall, kNoEvent, start_run},
    {"POST", "/api/v1/webhooks/custom", kAnyToken, kNobody, kHarness, kSmall, kNoEvent, custom_webhook},
    {"GET", "/api/v1/allocations/{id}/resources/{resources}/rendezvous", kItsTask, kAllocation, kHarness, kNone,
     kNoEvent, rendezvous},
    {"POST", "/api/v1/allocations/{id}/resources/{resources}/daemon", kItsTask, kAllocation, kHarness, kSmall, kNoEvent,
     report_daemon},
    {"GET", "/api/v1/allocations/{id}/signals/preemption", kItsTask, kAllocation, kHarness, kNone, kNoEvent,
     preemption},
    {"POST", "/api/v1/allocations/{id}/signals/ack_preemption", kItsTask, kAllocation, kHarness, kSmall, kNoEvent,
     ack_preemption},
    {"POST", "/api/v1/allocations/{id}/signals/pending_preemption", kItsTask, kAllocation, kHarness, kSmall, kNoEvent,
     pending_preemption},
    {"GET", "/api/v1/allocations/{id}/code_commit", kItsTask, kAllocation, kHarness, kNone, kNoEvent, find_code_commit},
    {"POST", "/api/v1/allocations/{id}/code_commit", kItsTask, kAllocation, kHarness, kSmall, kNoEvent,
     pin_code_commit},
    {"POST", "/api/v1/allocations/{id}/acceleratorData", kItsTask, kAllocation, kHarness, kSmall, kNoEvent,
     report_accelerator},
    {"POST", "/api/v1/allocations/{id}/proxy_address", kItsTask, kAllocation, kHarness, kSmall, kNoEvent,
     report_proxy_address},
    {"POST", "/api/v1/allocations/{id}/ready", kItsTask, kAllocation, kHarness, kSmall, kNoEvent, report_ready},
    {"POST", "/api/v1/allocations/{id}/waiting", kItsTask, kAllocation, kHarness, kSmall, kNoEvent, report_waiting},
    {"POST", "/api/v1/allocations/{id}/all_gather", kItsTask, kAllocation, kHarness, kSmall, kNoEvent, all_gather},
    {"GET", "/api/v1/job-queues", kPeople, kNobody, kPlain, kNone, kNoEvent, list_jobs},
    {"POST", "/api/v1/job-queues", kPeople, kNobody, kPlain, kSmall, "job.change", update_jobs},
    {"GET", "/api/v1/job-queues-v2", kPeople, kNobody, kPlain, kNone, kNoEvent, list_jobs_v2},
    {"GET", "/api/v1/job-queues/stats", kPeople, kNobody, kPlain, kNone, kNoEvent, job_stats},
    {"GET", "/api/v1/job-queues/{id}/reason", kPeople, kNobody, kPlain, kNone, kNoEvent, explain_job},
    {"GET", "/api/v1/agents", kPeople, kNobody, kPlain, kNone, kNoEvent, list_agents},
    {"GET", "/api/v1/agents/{id}", kPeople, kNobody, kPlain, kNone, kNoEvent, get_agent},
    {"POST", "/api/v1/agents/{id}/enable", kPeople, kNobody, kPlain, kSmall, "agent.enable", enable_agent},
    {"POST", "/api/v1/agents/{id}/disable", kPeople, kNobody, kPlain, kSmall, "agent.disable", disable_agent},
    {"GET", "/api/v1/resource-pools", kPeople, kNobody, kPlain, kNone, kNoEvent, list_resource_pools},
    {"GET", "/api/v1/tasks", kPeople, kNobody, kPlain, kNone, kNoEvent, list_tasks},
    {"GET", "/api/v1/tasks/count", kPeople, kNobody, kPlain, kNone, kNoEvent, count_tasks},
    {"GET", "/api/v1/tasks/{id}", kPeople, kTask, kPlain, kNone, kNoEvent, get_task},
    {"GET", "/api/v1/tasks/{id}/logs", kPeople, kTask, kPlain, kNone, kNoEvent, task_logs},
    {"GET", "/api/v1/tasks/{id}/logs/fields", kPeople, kTask, kPlain, kNone, kNoEvent, task_log_fields},
    {"GET", "/api/v1/tasks/{id}/context_directory", kAnyToken, kTask, kHarness, kNone, kNoEvent, context_directory},
    {"POST", "/api/v1/task/logs", kItsTask, kNamedInBody, kHarness, kLogs, kNoEvent, post_logs},
    {"POST", "/api/v1/checkpoints", kItsTask, kNamedInBody, kHarness, kReport, kNoEvent, report_checkpoint},
    {"PATCH", "/api/v1/checkpoints", kItsTask, kNamedInBody, kHarness, kReport, "checkpoint.change", patch_checkpoints},
    {"DELETE", "/api/v1/checkpoints", kPeople, kNobody, kPlain, kSmall, "checkpoint.delete", delete_checkpoints},
    {"POST", "/api/v1/checkpoints/rm", kPeople, kNobody, kPlain, kSmall, "checkpoint.delete", delete_checkpoints},
    {"GET", "/api/v1/checkpoints/{uuid}", kAnyToken, kNobody, kHarness, kNone, kNoEvent, get_checkpoint},
});

// One request on its way through the table.
struct Passage {
  Services& services;
  const RouteEntry& entry;
  const http::Request& request;
  AuditNote note = {};  // whom and what the audit log is to name
};

// Who asks, if he may. Known already when the request's head was admitted.
Task<Result<Identity>> identify(Passage& passage) {
  if (const auto* known = std::any_cast<Identity>(&passage.request.admitted)) {
    passage.note.caller = *known;
    co_return *known;
  }
  if (passage.entry.policy.who == Who::kAnyone) co_return Identity();
  auto caller = co_await passage.services.authenticator.identify(passage.request);
  if (!caller) co_return std::unexpected(caller.error());
  passage.note.caller = *caller;
  const Status allowed = co_await authorize(passage.services, passage.entry.policy, passage.request, *caller);
  if (!allowed) co_return std::unexpected(allowed.error());
  co_return caller;
}

Task<Result<http::Response>> handle(Passage& passage) {
  auto caller = co_await identify(passage);
  if (!caller) co_return std::unexpected(caller.error());
  const auto turn =
      co_await passage.services.body_turns.wait(passage.request.account, passage.request.body.view().size());
  Call call{.request = passage.request, .caller = std::move(*caller), .note = passage.note};
  co_return co_await passage.entry.handler(passage.services, std::move(call));
}

Task<Result<http::Response>> admit_to(Passage& passage, http::Request& request) {
  auto caller = co_await identify(passage);
  if (!caller) co_return std::unexpected(caller.error());
  if (caller->kind != TokenKind::kNone) request.account = "user " + to_string(caller->user.id);
  request.admitted = std::move(*caller);
  co_return ok();
}

// In the route's manner.
Task<Result<http::Response>> run(Passage& passage, std::function<Task<Result<http::Response>>()> attempt) {
  if (passage.entry.policy.manner == Manner::kPlain) co_return co_await attempt();
  const Logger log = Logger("api").with({"path", passage.request.path});
  co_return co_await guard_harness(passage.services.clock, log, GuardOptions(), std::move(attempt));
}

http::Response answer_of(const Passage& passage, Result<http::Response> result) {
  std::string reason;
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
Task<std::optional<http::Response>> admit(Services& services, const RouteEntry& entry, http::Request& request) {
  Passage passage{.services = services, .entry = entry, .request = request};
  std::function<Task<Result<http::Response>>()> attempt = [&] { return admit_to(passage, request); };
  auto admitted = co_await run(passage, std::move(attempt));
  if (admitted && !admitted->drop_connection) co_return std::nullopt;
  co_return answer_of(passage, std::move(admitted));
}

Task<http::Response> serve(Services& services, const RouteEntry& entry, const http::Request& request) {
  Passage passage{.services = services, .entry = entry, .request = request};
  std::function<Task<Result<http::Response>>()> attempt = [&] { return handle(passage); };
  auto result = co_await run(passage, std::move(attempt));
  co_return answer_of(passage, std::move(result));
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
