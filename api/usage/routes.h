#pragma once

// The routes of what was used. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> usage_routes();

}  // namespace det::api

namespace det::api::routes {

// usage.cc
Task<Result<http::Response>> raw_usage(ApiServices& services, Call call);
Task<Result<http::Response>> raw_usage_csv(ApiServices& services, Call call);
Task<Result<http::Response>> allocations_csv(ApiServices& services, Call call);
Task<Result<http::Response>> aggregated_usage(ApiServices& services, Call call);
Task<Result<http::Response>> aggregated_usage_csv(ApiServices& services, Call call);

}  // namespace det::api::routes
