#include "api/trials/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Exempt;
using enum model::Permission;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/experiments/{id}/trials", kPeople, kExperiment, kViewExperimentMetadata, kPlain, kNone, kNoEvent,
     list_trials},
    {"GET", "/api/v1/trials/{id}", kAnyToken, kTrial, kViewExperimentMetadata, kHarness, kNone, kNoEvent, get_trial},
    {"GET", "/api/v1/trials/{id}/workloads", kPeople, kTrial, kViewExperimentArtifacts, kPlain, kNone, kNoEvent,
     trial_workloads},
    {"POST", "/api/v1/trials/{id}/kill", kPeople, kTrial, kUpdateExperiment, kPlain, kSmall, "trial.kill", kill_trial},
    {"POST", "/api/v1/trials/{id}/metrics", kItsTask, kTrial, kUpdateExperiment, kHarness, kReport, kNoEvent,
     report_metrics},
    {"POST", "/api/v1/trials/{id}/training_metrics", kItsTask, kTrial, kUpdateExperiment, kHarness, kReport, kNoEvent,
     report_training_metrics},
    {"POST", "/api/v1/trials/{id}/validation_metrics", kItsTask, kTrial, kUpdateExperiment, kHarness, kReport, kNoEvent,
     report_validation_metrics},
    {"POST", "/api/v1/trials/{id}/progress", kItsTask, kTrial, kUpdateExperiment, kHarness, kSmall, kNoEvent,
     report_progress},
    {"POST", "/api/v1/trials/{id}/runner/metadata", kItsTask, kTrial, kUpdateExperiment, kHarness, kSmall, kNoEvent,
     report_runner_state},
    {"POST", "/api/v1/trials/{id}/early_exit", kItsTask, kTrial, kUpdateExperiment, kHarness, kSmall, kNoEvent,
     report_early_exit},
    {"POST", "/api/v1/trial-source-info", kItsTask, kNamedInBody, kHandlerAsks, kHarness, kSmall, kNoEvent,
     report_trial_source},
    {"GET", "/api/v1/runs/{id}/metadata", kAnyToken, kTrial, kViewExperimentMetadata, kHarness, kNone, kNoEvent,
     get_run_metadata},
    {"POST", "/api/v1/runs/{id}/metadata", kItsTask, kTrial, kUpdateExperiment, kHarness, kText, kNoEvent,
     set_run_metadata},
    {"POST", "/api/v1/runs/start", kItsTask, kNamedInBody, kHandlerAsks, kHarness, kSmall, kNoEvent, start_run},
});

}  // namespace

std::span<const RouteEntry> trial_routes() {
  return kRoutes;
}

}  // namespace det::api
