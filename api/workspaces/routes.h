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
Task<Result<http::Response>> create_workspace(ApiServices& services, Call call);
Task<Result<http::Response>> patch_workspace(ApiServices& services, Call call);

// workspace_verbs.cc
Task<Result<http::Response>> archive_workspace(ApiServices& services, Call call);
Task<Result<http::Response>> unarchive_workspace(ApiServices& services, Call call);
Task<Result<http::Response>> pin_workspace(ApiServices& services, Call call);
Task<Result<http::Response>> unpin_workspace(ApiServices& services, Call call);
Task<Result<http::Response>> delete_workspace(ApiServices& services, Call call);
Task<Result<http::Response>> workspace_pools(ApiServices& services, Call call);
// bindings.cc
Task<Result<http::Response>> list_namespace_bindings(ApiServices& services, Call call);
Task<Result<http::Response>> list_quotas(ApiServices& services, Call call);
Task<Result<http::Response>> set_namespace_bindings(ApiServices& services, Call call);
Task<Result<http::Response>> delete_namespace_bindings(ApiServices& services, Call call);
Task<Result<http::Response>> set_resource_quota(ApiServices& services, Call call);
// default_bindings.cc
Task<Result<http::Response>> list_unbound_workspaces(ApiServices& services, Call call);
Task<Result<http::Response>> bind_to_made_namespaces(ApiServices& services, Call call);

}  // namespace det::api::routes
