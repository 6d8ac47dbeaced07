#pragma once

// The routes of runs, as lists and as what is done to many of them. Handlers are plain functions that belong to the io
// thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> run_routes();

}  // namespace det::api

namespace det::api::routes {

// searches.cc
Task<Result<http::Response>> search_runs(ApiServices& services, Call call);
Task<Result<http::Response>> search_experiments(ApiServices& services, Call call);

// run_verbs.cc
Task<Result<http::Response>> kill_runs(ApiServices& services, Call call);
Task<Result<http::Response>> pause_runs(ApiServices& services, Call call);
Task<Result<http::Response>> resume_runs(ApiServices& services, Call call);
Task<Result<http::Response>> archive_runs(ApiServices& services, Call call);
Task<Result<http::Response>> unarchive_runs(ApiServices& services, Call call);
Task<Result<http::Response>> delete_runs(ApiServices& services, Call call);
Task<Result<http::Response>> move_runs(ApiServices& services, Call call);

// columns.cc
Task<Result<http::Response>> project_columns(ApiServices& services, Call call);
Task<Result<http::Response>> metric_ranges(ApiServices& services, Call call);
Task<Result<http::Response>> metadata_values(ApiServices& services, Call call);

}  // namespace det::api::routes
