#include "api/experiments/routes.h"

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
    {"GET", "/api/v1/experiments", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_experiments},
    {"POST", "/api/v1/experiments", kPeople, kNobody, kHandlerAsks, kPlain, kUpload, "experiment.create",
     create_experiment},
    {"POST", "/api/v1/experiments/continue", kPeople, kNamedInBody, kHandlerAsks, kPlain, kText, "experiment.continue",
     continue_experiment},
    {"GET", "/api/v1/experiments/{id}", kPeople, kExperiment, kViewExperimentMetadata, kPlain, kNone, kNoEvent,
     get_experiment},
    {"PATCH", "/api/v1/experiments/{id}", kPeople, kExperiment, kUpdateExperimentMetadata, kPlain, kText,
     "experiment.change", patch_experiment},
    {"PATCH", "/experiments/{id}", kPeople, kExperiment, kUpdateExperimentMetadata, kPlain, kText, "experiment.change",
     patch_experiment},
    {"DELETE", "/api/v1/experiments/{id}", kOwner, kExperiment, kDeleteExperiment, kPlain, kNone, "experiment.delete",
     delete_experiment},
    {"GET", "/api/v1/experiments/{id}/model_def", kPeople, kExperiment, kViewExperimentArtifacts, kPlain, kNone,
     kNoEvent, get_model_def},
    {"POST", "/api/v1/experiments/{id}/pause", kPeople, kExperiment, kUpdateExperiment, kPlain, kSmall,
     "experiment.pause", pause},
    {"POST", "/api/v1/experiments/{id}/activate", kPeople, kExperiment, kUpdateExperiment, kPlain, kSmall,
     "experiment.activate", activate},
    {"POST", "/api/v1/experiments/{id}/cancel", kPeople, kExperiment, kUpdateExperiment, kPlain, kSmall,
     "experiment.cancel", cancel},
    {"POST", "/api/v1/experiments/{id}/kill", kPeople, kExperiment, kUpdateExperiment, kPlain, kSmall,
     "experiment.kill", kill},
    {"POST", "/api/v1/experiments/{id}/archive", kPeople, kExperiment, kUpdateExperimentMetadata, kPlain, kSmall,
     "experiment.archive", archive},
    {"POST", "/api/v1/experiments/{id}/unarchive", kPeople, kExperiment, kUpdateExperimentMetadata, kPlain, kSmall,
     "experiment.unarchive", unarchive},
    {"POST", "/api/v1/projects/{id}/experiments/pause", kPeople, kNobody, kHandlerAsks, kPlain, kSmall,
     "experiment.pause", pause_many},
    {"POST", "/api/v1/projects/{id}/experiments/activate", kPeople, kNobody, kHandlerAsks, kPlain, kSmall,
     "experiment.activate", activate_many},
    {"POST", "/api/v1/projects/{id}/experiments/cancel", kPeople, kNobody, kHandlerAsks, kPlain, kSmall,
     "experiment.cancel", cancel_many},
    {"POST", "/api/v1/projects/{id}/experiments/kill", kPeople, kNobody, kHandlerAsks, kPlain, kSmall,
     "experiment.kill", kill_many},
    {"POST", "/api/v1/projects/{id}/experiments/archive", kPeople, kNobody, kHandlerAsks, kPlain, kSmall,
     "experiment.archive", archive_many},
    {"POST", "/api/v1/projects/{id}/experiments/unarchive", kPeople, kNobody, kHandlerAsks, kPlain, kSmall,
     "experiment.unarchive", unarchive_many},
    {"GET", "/api/v1/experiment/labels", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_labels},
    {"GET", "/api/v1/experiments/{id}/file_tree", kPeople, kExperiment, kViewExperimentArtifacts, kPlain, kNone,
     kNoEvent, model_file_tree},
    {"POST", "/api/v1/experiments/{id}/file", kPeople, kExperiment, kViewExperimentArtifacts, kPlain, kSmall, kNoEvent,
     get_model_file},
    {"GET", "/experiments/{id}/model_def", kPeople, kExperiment, kViewExperimentArtifacts, kPlain, kNone, kNoEvent,
     download_model_def},
    {"GET", "/experiments/{id}/file/download", kPeople, kExperiment, kViewExperimentArtifacts, kPlain, kNone, kNoEvent,
     download_model_file},
    // Each experiment's owner and admins: the handler knows which they are.
    {"DELETE", "/api/v1/projects/{id}/experiments/delete", kPeople, kNamedInBody, kHandlerAsks, kPlain, kSmall,
     "experiment.delete", delete_many},
    {"PUT", "/api/v1/experiments/{id}/labels/{label}", kPeople, kExperiment, kUpdateExperimentMetadata, kPlain, kSmall,
     "experiment.change", put_label},
    {"DELETE", "/api/v1/experiments/{id}/labels/{label}", kPeople, kExperiment, kUpdateExperimentMetadata, kPlain,
     kNone, "experiment.change", delete_label},
    {"GET", "/api/v1/experiments/{id}/searcher/best_searcher_validation_metric", kAnyToken, kExperiment,
     kViewExperimentArtifacts, kHarness, kNone, kNoEvent, best_validation_metric},
});

}  // namespace

std::span<const RouteEntry> experiment_routes() {
  return kRoutes;
}

}  // namespace det::api
