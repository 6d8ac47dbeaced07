#pragma once

// The routes of trials: what people read, and what a running trial reports. Handlers are plain functions that belong to
// the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> trial_routes();

}  // namespace det::api

namespace det::api::routes {

// trials.cc
Task<Result<http::Response>> list_trials(Services& services, Call call);
Task<Result<http::Response>> get_trial(Services& services, Call call);
Task<Result<http::Response>> trial_workloads(Services& services, Call call);
Task<Result<http::Response>> kill_trial(Services& services, Call call);

// reports.cc
Task<Result<http::Response>> start_run(Services& services, Call call);
Task<Result<http::Response>> report_metrics(Services& services, Call call);
Task<Result<http::Response>> report_progress(Services& services, Call call);
Task<Result<http::Response>> report_runner_state(Services& services, Call call);
Task<Result<http::Response>> report_early_exit(Services& services, Call call);
Task<Result<http::Response>> custom_webhook(Services& services, Call call);

}  // namespace det::api::routes
