#include "api/workspaces/routes.h"

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
    {"GET", "/api/v1/workspaces", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_workspaces},
    {"GET", "/api/v1/workspaces/{id}", kPeople, kWorkspace, kViewWorkspace, kPlain, kNone, kNoEvent, get_workspace},
    {"POST", "/api/v1/workspaces", kPeople, kNobody, kCreateWorkspace, kPlain, kSmall, "workspace.create",
     create_workspace},
    {"PATCH", "/api/v1/workspaces/{id}", kOwner, kWorkspace, kViewWorkspace, kPlain, kSmall, "workspace.change",
     patch_workspace},
    {"DELETE", "/api/v1/workspaces/{id}", kOwner, kWorkspace, kDeleteWorkspace, kPlain, kNone, "workspace.delete",
     delete_workspace},
    {"POST", "/api/v1/workspaces/{id}/archive", kOwner, kWorkspace, kUpdateWorkspace, kPlain, kNone,
     "workspace.archive", archive_workspace},
    {"POST", "/api/v1/workspaces/{id}/unarchive", kOwner, kWorkspace, kUpdateWorkspace, kPlain, kNone,
     "workspace.unarchive", unarchive_workspace},
    {"POST", "/api/v1/workspaces/{id}/pin", kPeople, kWorkspace, kViewWorkspace, kPlain, kNone, "workspace.pin",
     pin_workspace},
    {"POST", "/api/v1/workspaces/{id}/unpin", kPeople, kWorkspace, kViewWorkspace, kPlain, kNone, "workspace.unpin",
     unpin_workspace},
    {"GET", "/api/v1/workspaces/{id}/available-resource-pools", kPeople, kWorkspace, kViewWorkspace, kPlain, kNone,
     kNoEvent, workspace_pools},
    {"GET", "/api/v1/config-policies/global/{type}", kPeople, kNobody, kViewGlobalConfigPolicies, kPlain, kNone,
     kNoEvent, get_global_policy},
    {"PUT", "/api/v1/config-policies/global/{type}", kAdminLogin, kNobody, kModifyGlobalConfigPolicies, kPlain, kText,
     "policy.set", put_global_policy},
    {"DELETE", "/api/v1/config-policies/global/{type}", kAdminLogin, kNobody, kModifyGlobalConfigPolicies, kPlain,
     kNone, "policy.delete", delete_global_policy},
    {"GET", "/api/v1/config-policies/workspaces/{id}/{type}", kPeople, kWorkspace, kViewWorkspaceConfigPolicies, kPlain,
     kNone, kNoEvent, get_workspace_policy},
    {"PUT", "/api/v1/config-policies/workspaces/{id}/{type}", kOwnerLogin, kWorkspace, kModifyWorkspaceConfigPolicies,
     kPlain, kText, "policy.set", put_workspace_policy},
    {"DELETE", "/api/v1/config-policies/workspaces/{id}/{type}", kOwnerLogin, kWorkspace,
     kModifyWorkspaceConfigPolicies, kPlain, kNone, "policy.delete", delete_workspace_policy},
    {"GET", "/api/v1/workspaces/{id}/list-namespace-bindings", kPeople, kWorkspace, kViewWorkspace, kPlain, kNone,
     kNoEvent, list_namespace_bindings},
    {"POST", "/api/v1/workspaces/{id}/namespace-bindings", kPeople, kWorkspace, kSetWorkspaceNamespaceBindings, kPlain,
     kSmall, "workspace.bind", set_namespace_bindings},
    {"DELETE", "/api/v1/workspaces/{id}/namespace-bindings", kPeople, kWorkspace, kSetWorkspaceNamespaceBindings,
     kPlain, kNone, "workspace.unbind", delete_namespace_bindings},
    {"GET", "/api/v1/namespace-bindings/workspace-ids-with-default-bindings", kPeople, kNobody, kHandlerAsks, kPlain,
     kNone, kNoEvent, list_unbound_workspaces},
    {"POST", "/api/v1/namespace-bindings/bulk-auto-create", kPeople, kNobody, kHandlerAsks, kPlain, kSmall,
     "workspace.bind", bind_to_made_namespaces},
    {"GET", "/api/v1/workspaces/{id}/get-k8s-resource-quotas", kPeople, kWorkspace, kViewResourceQuotas, kPlain, kNone,
     kNoEvent, list_quotas},
    {"POST", "/api/v1/workspaces/{id}/set-resource-quota", kPeople, kWorkspace, kSetResourceQuotas, kPlain, kSmall,
     "workspace.quota", set_resource_quota},
});

}  // namespace

std::span<const RouteEntry> workspace_routes() {
  return kRoutes;
}

}  // namespace det::api
