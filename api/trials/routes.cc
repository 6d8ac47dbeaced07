#include "api/trials/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/experiments/{id}/trials", kPeople, kExperiment, kPlain, kNone, kNoEvent, list_trials},
    {"GET", "/api/v1/trials/{id}", kAnyToken, kTrial, kHarness, kNone, kNoEvent, get_trial},
    {"GET", "/api/v1/trials/{id}/workloads", kPeople, kTrial, kPlain, kNone, kNoEvent, trial_workloads},
    {"POST", "/api/v1/trials/{id}/kill", kPeople, kTrial, kPlain, kSmall, "trial.kill", kill_trial},
    {"POST", "/api/v1/trials/{id}/metrics", kItsTask, kTrial, kHarness, kReport, kNoEvent, report_metrics},
    {"POST", "/api/v1/trials/{id}/progress", kItsTask, kTrial, kHarness, kSmall, kNoEvent, report_progress},
    {"POST", "/api/v1/trials/{id}/runner/metadata", kItsTask, kTrial, kHarness, kSmall, kNoEvent, report_runner_state},
    {"POST", "/api/v1/trials/{id}/early_exit", kItsTask, kTrial, kHarness, kSmall, kNoEvent, report_early_exit},
    {"POST", "/api/v1/trial-source-info", kItsTask, kNamedInBody, kHarness, kSmall, kNoEvent, report_trial_source},
    {"POST", "/api/v1/runs/start", kAnyToken, kNobody, kHarness, kSmall, kNoEvent, start_run},
    {"POST", "/api/v1/webhooks/custom", kAnyToken, kNobody, kHarness, kSmall, kNoEvent, custom_webhook},
});

}  // namespace

std::span<const RouteEntry> trial_routes() {
  return kRoutes;
}

}  // namespace det::api
