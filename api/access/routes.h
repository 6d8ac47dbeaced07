#pragma once

// Groups of people, roles, and who has which: routes and their handlers.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> access_routes();

namespace routes {

// groups.cc
Task<Result<http::Response>> search_groups(ApiServices& services, Call call);
Task<Result<http::Response>> create_group(ApiServices& services, Call call);
Task<Result<http::Response>> get_group(ApiServices& services, Call call);
Task<Result<http::Response>> put_group(ApiServices& services, Call call);
Task<Result<http::Response>> delete_group(ApiServices& services, Call call);
Task<Result<http::Response>> assign_groups(ApiServices& services, Call call);

// roles.cc
Task<Result<http::Response>> permissions_summary(ApiServices& services, Call call);
Task<Result<http::Response>> workspace_members(ApiServices& services, Call call);
Task<Result<http::Response>> roles_by_ids(ApiServices& services, Call call);
Task<Result<http::Response>> roles_of_user(ApiServices& services, Call call);
Task<Result<http::Response>> roles_of_group(ApiServices& services, Call call);
Task<Result<http::Response>> assignable_roles(ApiServices& services, Call call);
Task<Result<http::Response>> search_roles(ApiServices& services, Call call);

// assignments.cc
Task<Result<http::Response>> add_assignments(ApiServices& services, Call call);
Task<Result<http::Response>> remove_assignments(ApiServices& services, Call call);

}  // namespace routes

}  // namespace det::api
