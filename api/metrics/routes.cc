#include "api/metrics/routes.h"

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
    {"GET", "/api/v1/trials/metrics/trial_metrics", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent,
     stream_metrics},
    {"GET", "/api/v1/trials/metrics/training_metrics", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent,
     stream_training_metrics},
    {"GET", "/api/v1/trials/metrics/validation_metrics", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent,
     stream_validation_metrics},
    {"GET", "/api/v1/trials/time-series", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, trials_time_series},
    {"GET", "/api/v1/experiments/{id}/curves", kPeople, kExperiment, kViewExperimentArtifacts, kPlain, kNone, kNoEvent,
     experiment_curves},
    {"GET", "/api/v1/experiments/metrics-stream/metric-names", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent,
     stream_metric_names},
    {"GET", "/api/v1/experiments/{id}/metrics-stream/batches", kPeople, kExperiment, kViewExperimentArtifacts, kPlain,
     kNone, kNoEvent, stream_metric_batches},
    {"GET", "/api/v1/experiments/{id}/metrics-stream/trials-snapshot", kPeople, kExperiment, kViewExperimentArtifacts,
     kPlain, kNone, kNoEvent, stream_trials_snapshot},
    {"GET", "/api/v1/experiments/{id}/metrics-stream/trials-sample", kPeople, kExperiment, kViewExperimentArtifacts,
     kPlain, kNone, kNoEvent, stream_trials_sample},
    {"GET", "/api/v1/experiments/{id}/validation-history", kPeople, kExperiment, kViewExperimentArtifacts, kPlain,
     kNone, kNoEvent, validation_history},
    {"POST", "/api/v1/trials/profiler/metrics", kItsTask, kNamedInBody, kHandlerAsks, kHarness, kReport, kNoEvent,
     report_profile},
    {"GET", "/api/v1/trials/{id}/profiler/metrics", kPeople, kTrial, kViewExperimentArtifacts, kPlain, kNone, kNoEvent,
     stream_profile},
    {"GET", "/api/v1/trials/{id}/profiler/available_series", kAnyToken, kTrial, kViewExperimentArtifacts, kHarness,
     kNone, kNoEvent, stream_profiled_series},
});

}  // namespace

std::span<const RouteEntry> metric_routes() {
  return kRoutes;
}

}  // namespace det::api
