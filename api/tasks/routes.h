#pragma once

// The routes of tasks. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> task_routes();

}  // namespace det::api

namespace det::api::routes {

// tasks.cc
Task<Result<http::Response>> list_tasks(ApiServices& services, Call call);
Task<Result<http::Response>> count_tasks(ApiServices& services, Call call);
Task<Result<http::Response>> get_task(ApiServices& services, Call call);
Task<Result<http::Response>> context_directory(ApiServices& services, Call call);

}  // namespace det::api::routes
