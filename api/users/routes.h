#pragma once

// The routes of users and their logins. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> user_routes();

}  // namespace det::api

namespace det::api::routes {

// auth.cc
Task<Result<http::Response>> login(ApiServices& services, Call call);
Task<Result<http::Response>> logout(ApiServices& services, Call call);

// users.cc
Task<Result<http::Response>> me(ApiServices& services, Call call);
Task<Result<http::Response>> list_users(ApiServices& services, Call call);
Task<Result<http::Response>> get_user(ApiServices& services, Call call);
Task<Result<http::Response>> get_user_by_name(ApiServices& services, Call call);
Task<Result<http::Response>> create_user(ApiServices& services, Call call);
Task<Result<http::Response>> patch_user(ApiServices& services, Call call);

}  // namespace det::api::routes
