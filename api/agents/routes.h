#pragma once

// The routes of agents, slots and resource pools. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> agent_routes();

}  // namespace det::api

namespace det::api::routes {

// agents.cc
Task<Result<http::Response>> list_agents(ApiServices& services, Call call);
Task<Result<http::Response>> get_agent(ApiServices& services, Call call);
Task<Result<http::Response>> enable_agent(ApiServices& services, Call call);
Task<Result<http::Response>> disable_agent(ApiServices& services, Call call);
Task<Result<http::Response>> list_slots(ApiServices& services, Call call);
Task<Result<http::Response>> get_slot(ApiServices& services, Call call);
Task<Result<http::Response>> enable_slot(ApiServices& services, Call call);
Task<Result<http::Response>> disable_slot(ApiServices& services, Call call);
Task<Result<http::Response>> legacy_agents(ApiServices& services, Call call);
Task<Result<http::Response>> legacy_patch_slot(ApiServices& services, Call call);
// resource_pools.cc
Task<Result<http::Response>> list_resource_pools(ApiServices& services, Call call);
// pool_bindings.cc
Task<Result<http::Response>> list_pool_bindings(ApiServices& services, Call call);
Task<Result<http::Response>> bind_pool(ApiServices& services, Call call);
Task<Result<http::Response>> replace_pool_bindings(ApiServices& services, Call call);
Task<Result<http::Response>> unbind_pool(ApiServices& services, Call call);

}  // namespace det::api::routes
