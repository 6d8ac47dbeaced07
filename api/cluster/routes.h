#pragma once

// The routes of the server itself: what it is, how it is, and what it measures. Handlers are plain functions that
// belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> cluster_routes();

}  // namespace det::api

namespace det::api::routes {

// master.cc
Task<Result<http::Response>> front_page(Services& services, Call call);
Task<Result<http::Response>> info(Services& services, Call call);
Task<Result<http::Response>> master(Services& services, Call call);

// metrics.cc
Task<Result<http::Response>> metrics(Services& services, Call call);

// state_metrics.cc
Task<Result<http::Response>> state_metrics(Services& services, Call call);

// health.cc
Task<Result<http::Response>> health(Services& services, Call call);
Task<Result<http::Response>> ready(Services& services, Call call);

// wheels.cc
Task<Result<http::Response>> list_wheels(Services& services, Call call);
Task<Result<http::Response>> get_wheel(Services& services, Call call);

}  // namespace det::api::routes
