#include "api/runs/routes.h"

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
    {"POST", "/api/v1/runs", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, kNoEvent, search_runs},
    {"POST", "/api/v1/experiments-search", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, kNoEvent,
     search_experiments},
    {"POST", "/api/v1/runs/kill", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, "run.kill", kill_runs},
    {"POST", "/api/v1/runs/pause", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, "run.pause", pause_runs},
    {"POST", "/api/v1/runs/resume", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, "run.resume", resume_runs},
    {"POST", "/api/v1/runs/archive", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, "run.archive", archive_runs},
    {"POST", "/api/v1/runs/unarchive", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, "run.unarchive", unarchive_runs},
    // Of each experiment's owner and admins: the handlers know which they are.
    {"POST", "/api/v1/runs/delete", kPeople, kNamedInBody, kHandlerAsks, kPlain, kSmall, "run.delete", delete_runs},
    {"POST", "/api/v1/runs/move", kPeople, kNamedInBody, kHandlerAsks, kPlain, kSmall, "run.move", move_runs},
    {"GET", "/api/v1/projects/{id}/columns", kPeople, kProject, kViewProject, kPlain, kNone, kNoEvent, project_columns},
    {"GET", "/api/v1/projects/{id}/experiments/metric-ranges", kPeople, kProject, kViewExperimentMetadata, kPlain,
     kNone, kNoEvent, metric_ranges},
    {"GET", "/api/v1/projects/{id}/metadata/{key}", kPeople, kProject, kViewExperimentMetadata, kPlain, kNone, kNoEvent,
     metadata_values},
});

}  // namespace

std::span<const RouteEntry> run_routes() {
  return kRoutes;
}

}  // namespace det::api
