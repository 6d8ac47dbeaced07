#include "api/registry/routes.h"

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

// A registry is a team's: everybody registers versions and edits, as in Determined's open edition; deleting is for
// owners and admins.
constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/models", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_models},
    {"POST", "/api/v1/models", kPeople, kNobody, kHandlerAsks, kPlain, kText, "model.create", create_model},
    {"GET", "/api/v1/model/labels", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, model_labels},
    {"GET", "/api/v1/models/{name}", kPeople, kModel, kViewModelRegistry, kPlain, kNone, kNoEvent, get_model},
    {"PATCH", "/api/v1/models/{name}", kPeople, kModel, kEditModelRegistry, kPlain, kText, "model.change", patch_model},
    {"DELETE", "/api/v1/models/{name}", kOwner, kModel, kDeleteModelRegistry, kPlain, kNone, "model.delete",
     delete_model},
    {"POST", "/api/v1/models/{name}/archive", kPeople, kModel, kEditModelRegistry, kPlain, kSmall, "model.archive",
     archive_model},
    {"POST", "/api/v1/models/{name}/unarchive", kPeople, kModel, kEditModelRegistry, kPlain, kSmall, "model.unarchive",
     unarchive_model},
    {"POST", "/api/v1/models/{name}/move", kPeople, kModel, kEditModelRegistry, kPlain, kSmall, "model.move",
     move_model},
    {"GET", "/api/v1/models/{name}/versions", kPeople, kModel, kViewModelRegistry, kPlain, kNone, kNoEvent,
     list_model_versions},
    {"POST", "/api/v1/models/{name}/versions", kPeople, kModel, kEditModelRegistry, kPlain, kText,
     "model.version.create", create_model_version},
    {"GET", "/api/v1/models/{name}/versions/{num}", kPeople, kModel, kViewModelRegistry, kPlain, kNone, kNoEvent,
     get_model_version},
    {"PATCH", "/api/v1/models/{name}/versions/{num}", kPeople, kModel, kEditModelRegistry, kPlain, kText,
     "model.version.change", patch_model_version},
    // The version's owner, the model's, and admins: the handler knows both.
    {"DELETE", "/api/v1/models/{name}/versions/{num}", kPeople, kModel, kDeleteModelVersion, kPlain, kNone,
     "model.version.delete", delete_model_version},
    {"GET", "/api/v1/models/{name}/versions/{num}/metrics", kPeople, kModel, kViewModelRegistry, kPlain, kNone,
     kNoEvent, model_version_metrics},
});

}  // namespace

std::span<const RouteEntry> registry_routes() {
  return kRoutes;
}

}  // namespace det::api
