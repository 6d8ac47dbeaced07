#pragma once

// The routes of log lines. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> log_routes();

}  // namespace det::api

namespace det::api::routes {

// logs.cc
Task<Result<http::Response>> post_logs(ApiServices& services, Call call);
Task<Result<http::Response>> post_log_array(ApiServices& services, Call call);
Task<Result<http::Response>> trial_logs(ApiServices& services, Call call);
Task<Result<http::Response>> task_logs(ApiServices& services, Call call);
Task<Result<http::Response>> trial_log_fields(ApiServices& services, Call call);
Task<Result<http::Response>> task_log_fields(ApiServices& services, Call call);
// log_count.cc
Task<Result<http::Response>> count_trial_logs(ApiServices& services, Call call);
// experiment_logs.cc
Task<Result<http::Response>> experiment_logs(ApiServices& services, Call call);
Task<Result<http::Response>> count_experiment_logs(ApiServices& services, Call call);
// log_retention.cc
Task<Result<http::Response>> retain_experiment_logs(ApiServices& services, Call call);
Task<Result<http::Response>> retain_trial_logs(ApiServices& services, Call call);
Task<Result<http::Response>> clean_up_logs(ApiServices& services, Call call);
Task<Result<http::Response>> held_logs(ApiServices& services, Call call);
Task<Result<http::Response>> release_held_logs(ApiServices& services, Call call);
Task<Result<http::Response>> retain_logs_of_many(ApiServices& services, Call call);
Task<Result<http::Response>> days_until_removal(ApiServices& services, Call call);

}  // namespace det::api::routes
