#include "api/searches/routes.h"

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
    {"POST", "/api/v1/preview-hp-search", kPeople, kNobody, kFree, kPlain, kText, kNoEvent, preview_search},
    {"POST", "/searcher/preview", kPeople, kNobody, kFree, kPlain, kText, kNoEvent, legacy_preview_search},
    {"GET", "/api/v1/experiments/{id}/searcher/replay", kPeople, kExperiment, kViewExperimentArtifacts, kPlain, kNone,
     kNoEvent, replay_search},
    {"GET", "/api/v1/experiments/{id}/hyperparameter-importance", kPeople, kExperiment, kViewExperimentArtifacts,
     kPlain, kNone, kNoEvent, hyperparameter_importance},
    {"GET", "/api/v1/experiments/{id}/searcher_events", kOwner, kExperiment, kUpdateExperiment, kHarness, kNone,
     kNoEvent, searcher_events},
    {"POST", "/api/v1/experiments/{id}/searcher_operations", kOwner, kExperiment, kUpdateExperiment, kHarness, kAnswer,
     kNoEvent, post_searcher_operations},
    {"GET", "/api/v1/trials/{id}/searcher/operation", kItsTask, kTrial, kUpdateExperiment, kHarness, kNone, kNoEvent,
     searcher_operation},
    {"POST", "/api/v1/trials/{id}/searcher/completed_operation", kItsTask, kTrial, kUpdateExperiment, kHarness, kSmall,
     kNoEvent, complete_operation},
});

}  // namespace

std::span<const RouteEntry> search_routes() {
  return kRoutes;
}

}  // namespace det::api
