#include "api/logs/routes.h"

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
    {"GET", "/api/v1/trials/{id}/logs", kPeople, kTrial, kViewExperimentArtifacts, kPlain, kNone, kNoEvent, trial_logs},
    {"GET", "/api/v1/trials/{id}/logs/fields", kPeople, kTrial, kViewExperimentArtifacts, kPlain, kNone, kNoEvent,
     trial_log_fields},
    {"GET", "/api/v1/trials/{id}/logs/count", kPeople, kTrial, kViewExperimentArtifacts, kPlain, kNone, kNoEvent,
     count_trial_logs},
    {"GET", "/api/v1/experiments/{id}/logs", kPeople, kExperiment, kViewExperimentArtifacts, kPlain, kNone, kNoEvent,
     experiment_logs},
    {"GET", "/api/v1/experiments/{id}/logs/count", kPeople, kExperiment, kViewExperimentArtifacts, kPlain, kNone,
     kNoEvent, count_experiment_logs},
    {"GET", "/api/v1/tasks/{id}/logs", kPeople, kTask, kViewNsc, kPlain, kNone, kNoEvent, task_logs},
    {"GET", "/api/v1/tasks/{id}/logs/fields", kPeople, kTask, kViewNsc, kPlain, kNone, kNoEvent, task_log_fields},
    {"POST", "/api/v1/task/logs", kItsTask, kNamedInBody, kHandlerAsks, kHarness, kLogs, kNoEvent, post_logs},
    {"POST", "/task-logs", kItsTask, kNamedInBody, kHandlerAsks, kHarness, kLogs, kNoEvent, post_log_array},
    {"PUT", "/api/v1/experiments/{id}/retain_logs", kOwner, kExperiment, kUpdateExperiment, kPlain, kSmall,
     "experiment.retain_logs", retain_experiment_logs},
    {"PUT", "/api/v1/trials/{id}/retain_logs", kOwner, kTrial, kUpdateExperiment, kPlain, kSmall, "trial.retain_logs",
     retain_trial_logs},
    {"PUT", "/api/v1/projects/{id}/experiments/retain_logs", kPeople, kNobody, kHandlerAsks, kPlain, kSmall,
     "experiment.retain_logs", retain_logs_of_many},
    {"GET", "/api/v1/trials/{id}/remaining_log_retention_days", kPeople, kTrial, kViewExperimentMetadata, kPlain, kNone,
     kNoEvent, days_until_removal},
    {"POST", "/api/v1/cleanup_logs", kAdminLogin, kNobody, kUpdateMasterConfig, kPlain, kSmall, "logs.remove",
     clean_up_logs},
    {"GET", "/api/v1/held-logs", kAdminLogin, kNobody, kUpdateMasterConfig, kPlain, kNone, kNoEvent, held_logs},
    {"POST", "/api/v1/held-logs/release", kAdminLogin, kNobody, kUpdateMasterConfig, kPlain, kSmall, "logs.release",
     release_held_logs},
});

}  // namespace

std::span<const RouteEntry> log_routes() {
  return kRoutes;
}

}  // namespace det::api
