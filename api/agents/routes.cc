#include "api/agents/routes.h"

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
    {"GET", "/api/v1/agents", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, list_agents},
    {"GET", "/api/v1/agents/{id}", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, get_agent},
    {"POST", "/api/v1/agents/{id}/enable", kPeople, kNobody, kUpdateAgents, kPlain, kSmall, "agent.enable",
     enable_agent},
    {"POST", "/api/v1/agents/{id}/disable", kPeople, kNobody, kUpdateAgents, kPlain, kSmall, "agent.disable",
     disable_agent},
    {"GET", "/api/v1/agents/{id}/slots", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, list_slots},
    {"GET", "/api/v1/agents/{id}/slots/{slot}", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, get_slot},
    {"POST", "/api/v1/agents/{id}/slots/{slot}/enable", kPeople, kNobody, kUpdateAgents, kPlain, kSmall, "slot.enable",
     enable_slot},
    {"POST", "/api/v1/agents/{id}/slots/{slot}/disable", kPeople, kNobody, kUpdateAgents, kPlain, kSmall,
     "slot.disable", disable_slot},
    {"GET", "/api/v1/resource-pools", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, list_resource_pools},
    {"GET", "/agents", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, legacy_agents},
    {"PATCH", "/agents/{id}/slots/{slot}", kPeople, kNobody, kUpdateAgents, kPlain, kSmall, "slot.change",
     legacy_patch_slot},
    {"GET", "/api/v1/resource-pools/{name}/workspace-bindings", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent,
     list_pool_bindings},
    {"POST", "/api/v1/resource-pools/{name}/workspace-bindings", kAdminLogin, kNobody, kModifyRpWorkspaceBindings,
     kPlain, kSmall, "pool.bind", bind_pool},
    {"PUT", "/api/v1/resource-pools/{name}/workspace-bindings", kAdminLogin, kNobody, kModifyRpWorkspaceBindings,
     kPlain, kSmall, "pool.bind", replace_pool_bindings},
    {"DELETE", "/api/v1/resource-pools/{name}/workspace-bindings", kAdminLogin, kNobody, kModifyRpWorkspaceBindings,
     kPlain, kSmall, "pool.unbind", unbind_pool},
});

}  // namespace

std::span<const RouteEntry> agent_routes() {
  return kRoutes;
}

}  // namespace det::api
