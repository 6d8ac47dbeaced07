#include "api/experiments/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/experiments", kPeople, kNobody, kPlain, kNone, kNoEvent, list_experiments},
    {"POST", "/api/v1/experiments", kPeople, kNobody, kPlain, kUpload, "experiment.create", create_experiment},
    {"POST", "/api/v1/experiments/continue", kPeople, kNamedInBody, kPlain, kText, "experiment.continue",
     continue_experiment},
    {"GET", "/api/v1/experiments/{id}", kPeople, kExperiment, kPlain, kNone, kNoEvent, get_experiment},
    {"PATCH", "/api/v1/experiments/{id}", kPeople, kExperiment, kPlain, kSmall, "experiment.change", patch_experiment},
    {"DELETE", "/api/v1/experiments/{id}", kOwner, kExperiment, kPlain, kNone, "experiment.delete", delete_experiment},
    {"GET", "/api/v1/experiments/{id}/model_def", kPeople, kExperiment, kPlain, kNone, kNoEvent, get_model_def},
    {"POST", "/api/v1/experiments/{id}/pause", kPeople, kExperiment, kPlain, kSmall, "experiment.pause", pause},
    {"POST", "/api/v1/experiments/{id}/activate", kPeople, kExperiment, kPlain, kSmall, "experiment.activate",
     activate},
    {"POST", "/api/v1/experiments/{id}/cancel", kPeople, kExperiment, kPlain, kSmall, "experiment.cancel", cancel},
    {"POST", "/api/v1/experiments/{id}/kill", kPeople, kExperiment, kPlain, kSmall, "experiment.kill", kill},
    {"POST", "/api/v1/experiments/{id}/archive", kPeople, kExperiment, kPlain, kSmall, "experiment.archive", archive},
    {"POST", "/api/v1/experiments/{id}/unarchive", kPeople, kExperiment, kPlain, kSmall, "experiment.unarchive",
     unarchive},
    {"GET", "/api/v1/experiments/{id}/searcher/best_searcher_validation_metric", kAnyToken, kExperiment, kHarness,
     kNone, kNoEvent, best_validation_metric},
});

}  // namespace

std::span<const RouteEntry> experiment_routes() {
  return kRoutes;
}

}  // namespace det::api
