#pragma once

// The routes of workspaces and config policies. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> workspace_routes();

}  // namespace det::api

namespace det::api::routes {

// config_policies.cc
Task<Result<http::Response>> get_global_policy(ApiServices& services, Call call);
Task<Result<http::Response>> put_global_policy(ApiServices& services, Call call);
Task<Result<http::Response>> delete_global_policy(ApiServices& services, Call call);
Task<Result<http::Response>> get_workspace_policy(ApiServices& services, Call call);
Task<Result<http::Response>> put_workspace_policy(ApiServices& services, Call call);
Task<Result<http::Response>> delete_workspace_policy(ApiServices& services, Call call);

// workspaces.cc
Task<Result<http::Response>> list_workspaces(ApiServices& services, Call call);
Task<Result<http::Response>> get_workspace(ApiServices& services, Call call);

}  // namespace det::api::routes
