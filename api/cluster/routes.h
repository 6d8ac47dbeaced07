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
Task<Result<http::Response>> front_page(ApiServices& services, Call call);
Task<Result<http::Response>> info(ApiServices& services, Call call);
Task<Result<http::Response>> master(ApiServices& services, Call call);
Task<Result<http::Response>> master_config(ApiServices& services, Call call);
Task<Result<http::Response>> telemetry(ApiServices& services, Call call);
Task<Result<http::Response>> resource_managers(ApiServices& services, Call call);
Task<Result<http::Response>> legacy_master_config(ApiServices& services, Call call);

// cluster_message.cc
Task<Result<http::Response>> get_cluster_message(ApiServices& services, Call call);
Task<Result<http::Response>> set_cluster_message(ApiServices& services, Call call);
Task<Result<http::Response>> clear_cluster_message(ApiServices& services, Call call);

// master_logs.cc
Task<Result<http::Response>> master_logs(ApiServices& services, Call call);
Task<Result<http::Response>> legacy_master_logs(ApiServices& services, Call call);

// metrics.cc
Task<Result<http::Response>> metrics(ApiServices& services, Call call);

// state_metrics.cc
Task<Result<http::Response>> state_metrics(ApiServices& services, Call call);

// health.cc
Task<Result<http::Response>> health(ApiServices& services, Call call);
Task<Result<http::Response>> ready(ApiServices& services, Call call);

// wheels.cc
Task<Result<http::Response>> list_wheels(ApiServices& services, Call call);
Task<Result<http::Response>> get_wheel(ApiServices& services, Call call);
// master_settings.cc
Task<Result<http::Response>> patch_master_config(ApiServices& services, Call call);

}  // namespace det::api::routes
