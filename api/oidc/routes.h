#pragma once

// The routes of signing in with an OpenID Connect provider. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> oidc_routes();

}  // namespace det::api

namespace det::api::routes {

// sign_on.cc
Task<Result<http::Response>> begin_sign_in(ApiServices& services, Call call);
Task<Result<http::Response>> end_sign_in(ApiServices& services, Call call);

}  // namespace det::api::routes
