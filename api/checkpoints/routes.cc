#include "api/checkpoints/routes.h"

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
    {"GET", "/api/v1/experiments/{id}/checkpoints", kPeople, kExperiment, kViewExperimentArtifacts, kPlain, kNone,
     kNoEvent, experiment_checkpoints},
    {"GET", "/api/v1/trials/{id}/checkpoints", kPeople, kTrial, kViewExperimentArtifacts, kPlain, kNone, kNoEvent,
     trial_checkpoints},
    {"POST", "/api/v1/checkpoints", kItsTask, kNamedInBody, kHandlerAsks, kHarness, kFiles, kNoEvent,
     report_checkpoint},
    {"PATCH", "/api/v1/checkpoints", kItsTask, kNamedInBody, kHandlerAsks, kHarness, kReport, "checkpoint.change",
     patch_checkpoints},
    {"DELETE", "/api/v1/checkpoints", kPeople, kNamedInBody, kHandlerAsks, kPlain, kSmall, "checkpoint.delete",
     delete_checkpoints},
    {"POST", "/api/v1/checkpoints/rm", kPeople, kNamedInBody, kHandlerAsks, kPlain, kSmall, "checkpoint.delete",
     remove_checkpoint_files},
    {"GET", "/checkpoints/{uuid}", kPeople, kCheckpoint, kViewExperimentArtifacts, kPlain, kNone, kNoEvent,
     download_checkpoint},
    {"GET", "/experiments/{id}/preview_gc", kPeople, kExperiment, kViewExperimentMetadata, kPlain, kNone, kNoEvent,
     preview_gc},
    {"DELETE", "/api/v1/experiments/{id}/tensorboard-files", kOwner, kExperiment, kUpdateExperiment, kPlain, kNone,
     "tensorboard.delete", delete_tensorboard_files},
    {"GET", "/api/v1/held-checkpoints", kPeople, kNobody, kViewClusterUsage, kPlain, kNone, kNoEvent, held_checkpoints},
    {"POST", "/api/v1/held-checkpoints/release", kAdminLogin, kNobody, kUpdateMasterConfig, kPlain, kNone,
     "checkpoint.release", release_held_checkpoints},
    {"GET", "/api/v1/checkpoints/{uuid}/metrics", kPeople, kCheckpoint, kViewExperimentArtifacts, kPlain, kNone,
     kNoEvent, checkpoint_metrics},
    {"POST", "/api/v1/checkpoints/{uuid}/metadata", kPeople, kCheckpoint, kUpdateExperimentMetadata, kPlain, kSmall,
     "checkpoint.change", set_checkpoint_metadata},
    {"GET", "/api/v1/checkpoints/{uuid}", kAnyToken, kCheckpoint, kViewExperimentMetadata, kHarness, kNone, kNoEvent,
     get_checkpoint},
});

}  // namespace

std::span<const RouteEntry> checkpoint_routes() {
  return kRoutes;
}

}  // namespace det::api
