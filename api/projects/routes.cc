#include "api/projects/routes.h"

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
    {"GET", "/api/v1/workspaces/{id}/projects", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_projects},
    {"POST", "/api/v1/workspaces/{id}/projects", kPeople, kWorkspace, kCreateProject, kPlain, kSmall, "project.create",
     create_project},
    {"GET", "/api/v1/projects/{id}", kPeople, kProject, kViewProject, kPlain, kNone, kNoEvent, get_project},
    {"GET", "/api/v1/projects/key/{key}", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, get_project_by_key},
    {"PATCH", "/api/v1/projects/{id}", kOwner, kProject, kUpdateProject, kPlain, kSmall, "project.change",
     patch_project},
    {"DELETE", "/api/v1/projects/{id}", kOwner, kProject, kDeleteProject, kPlain, kNone, "project.delete",
     delete_project},
    {"POST", "/api/v1/projects/{id}/archive", kOwner, kProject, kUpdateProject, kPlain, kNone, "project.archive",
     archive_project},
    {"POST", "/api/v1/projects/{id}/unarchive", kOwner, kProject, kUpdateProject, kPlain, kNone, "project.unarchive",
     unarchive_project},
    {"POST", "/api/v1/projects/{id}/move", kOwner, kProject, kDeleteProject, kPlain, kSmall, "project.move",
     move_project},
    {"POST", "/api/v1/projects/{id}/notes", kOwner, kProject, kUpdateProject, kPlain, kText, "project.change",
     add_project_note},
    {"PUT", "/api/v1/projects/{id}/notes", kOwner, kProject, kUpdateProject, kPlain, kText, "project.change",
     put_project_notes},
    {"POST", "/api/v1/projects/{id}/experiments/move", kPeople, kProject, kDeleteExperiment, kPlain, kSmall,
     "experiment.move", move_experiments},
    {"POST", "/api/v1/experiments/{id}/move", kOwner, kExperiment, kDeleteExperiment, kPlain, kSmall, "experiment.move",
     move_experiment},
});

}  // namespace

std::span<const RouteEntry> project_routes() {
  return kRoutes;
}

}  // namespace det::api
