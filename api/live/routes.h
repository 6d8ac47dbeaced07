#pragma once

// The route of live events. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> live_routes();

}  // namespace det::api

namespace det::api::routes {

Task<Result<http::Response>> live_events(ApiServices& services, Call call);

}  // namespace det::api::routes
