#include "api/unmanaged/routes.h"

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
    {"PUT", "/api/v1/experiments/by-external-id/{name}", kPeople, kNobody, kHandlerAsks, kPlain, kUpload,
     "experiment.create", put_experiment},
    // Of which experiment the body says: the handlers ask whose it is.
    {"POST", "/api/v1/trials", kPeople, kNamedInBody, kHandlerAsks, kPlain, kText, "trial.create", create_trial},
    {"PUT", "/api/v1/trials", kPeople, kNamedInBody, kHandlerAsks, kPlain, kText, "trial.create", put_trial},
    {"GET", "/api/v1/trials/by-external-id/{experiment}/{trial}", kPeople, kNobody, kHandlerAsks, kPlain, kNone,
     kNoEvent, find_external_trial},
    {"POST", "/api/v1/trials/{id}/start", kItsTask, kTrial, kUpdateExperiment, kHarness, kSmall, kNoEvent, start_trial},
    {"PATCH", "/api/v1/trials/{id}", kItsTask, kTrial, kUpdateExperiment, kHarness, kSmall, kNoEvent, patch_trial},
});

}  // namespace

std::span<const RouteEntry> unmanaged_routes() {
  return kRoutes;
}

}  // namespace det::api
