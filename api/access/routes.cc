#include "api/access/routes.h"

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

// Where roles do not rule they can be prepared: admins assign them, and everybody may look.
constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"POST", "/api/v1/groups/search", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, kNoEvent, search_groups},
    {"POST", "/api/v1/groups", kAdminLogin, kNobody, kUpdateGroup, kPlain, kSmall, "group.create", create_group},
    {"GET", "/api/v1/groups/{id}", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, get_group},
    {"PUT", "/api/v1/groups/{id}", kAdminLogin, kNobody, kUpdateGroup, kPlain, kSmall, "group.change", put_group},
    {"DELETE", "/api/v1/groups/{id}", kAdminLogin, kNobody, kUpdateGroup, kPlain, kNone, "group.delete", delete_group},
    {"PATCH", "/api/v1/users/assignments", kAdminLogin, kNobody, kUpdateGroup, kPlain, kSmall, "group.assign",
     assign_groups},
    {"GET", "/api/v1/permissions/summary", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, permissions_summary},
    {"GET", "/api/v1/roles/workspace/{id}", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, workspace_members},
    {"POST", "/api/v1/roles/search/by-ids", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, kNoEvent, roles_by_ids},
    {"GET", "/api/v1/roles/search/by-user/{id}", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent,
     roles_of_user},
    {"GET", "/api/v1/roles/search/by-group/{id}", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent,
     roles_of_group},
    {"POST", "/api/v1/roles/search/by-assignability", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, kNoEvent,
     assignable_roles},
    {"POST", "/api/v1/roles/search", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, kNoEvent, search_roles},
    // Who may assign roles in a workspace may do it there.
    {"POST", "/api/v1/roles/add-assignments", kOwnerLogin, kNamedInBody, kHandlerAsks, kPlain, kSmall, "role.assign",
     add_assignments},
    {"POST", "/api/v1/roles/remove-assignments", kOwnerLogin, kNamedInBody, kHandlerAsks, kPlain, kSmall,
     "role.unassign", remove_assignments},
});

}  // namespace

std::span<const RouteEntry> access_routes() {
  return kRoutes;
}

}  // namespace det::api
