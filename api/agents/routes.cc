#include "api/agents/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/agents", kPeople, kNobody, kPlain, kNone, kNoEvent, list_agents},
    {"GET", "/api/v1/agents/{id}", kPeople, kNobody, kPlain, kNone, kNoEvent, get_agent},
    {"POST", "/api/v1/agents/{id}/enable", kPeople, kNobody, kPlain, kSmall, "agent.enable", enable_agent},
    {"POST", "/api/v1/agents/{id}/disable", kPeople, kNobody, kPlain, kSmall, "agent.disable", disable_agent},
    {"GET", "/api/v1/resource-pools", kPeople, kNobody, kPlain, kNone, kNoEvent, list_resource_pools},
});

}  // namespace

std::span<const RouteEntry> agent_routes() {
  return kRoutes;
}

}  // namespace det::api
