#pragma once

// The routes of the queue. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> job_routes();

}  // namespace det::api

namespace det::api::routes {

// jobs.cc
Task<Result<http::Response>> list_jobs(ApiServices& services, Call call);
Task<Result<http::Response>> list_jobs_v2(ApiServices& services, Call call);
Task<Result<http::Response>> job_stats(ApiServices& services, Call call);
Task<Result<http::Response>> explain_job(ApiServices& services, Call call);

// job_update.cc
Task<Result<http::Response>> update_jobs(ApiServices& services, Call call);

}  // namespace det::api::routes
