#include "api/workspaces/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/workspaces", kPeople, kNobody, kPlain, kNone, kNoEvent, list_workspaces},
    {"GET", "/api/v1/workspaces/{id}", kPeople, kNobody, kPlain, kNone, kNoEvent, get_workspace},
    {"GET", "/api/v1/config-policies/global/{type}", kPeople, kNobody, kPlain, kNone, kNoEvent, get_global_policy},
    {"PUT", "/api/v1/config-policies/global/{type}", kAdminLogin, kNobody, kPlain, kText, "policy.set",
     put_global_policy},
    {"DELETE", "/api/v1/config-policies/global/{type}", kAdminLogin, kNobody, kPlain, kNone, "policy.delete",
     delete_global_policy},
    {"GET", "/api/v1/config-policies/workspaces/{id}/{type}", kPeople, kNobody, kPlain, kNone, kNoEvent,
     get_workspace_policy},
    {"PUT", "/api/v1/config-policies/workspaces/{id}/{type}", kOwnerLogin, kWorkspace, kPlain, kText, "policy.set",
     put_workspace_policy},
    {"DELETE", "/api/v1/config-policies/workspaces/{id}/{type}", kOwnerLogin, kWorkspace, kPlain, kNone,
     "policy.delete", delete_workspace_policy},
});

}  // namespace

std::span<const RouteEntry> workspace_routes() {
  return kRoutes;
}

}  // namespace det::api
