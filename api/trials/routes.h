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
Task<Result<http::Response>> list_trials(ApiServices& services, Call call);
Task<Result<http::Response>> get_trial(ApiServices& services, Call call);
Task<Result<http::Response>> trial_workloads(ApiServices& services, Call call);
Task<Result<http::Response>> kill_trial(ApiServices& services, Call call);

// trial_sources.cc
Task<Result<http::Response>> report_trial_source(ApiServices& services, Call call);

// reports.cc
Task<Result<http::Response>> start_run(ApiServices& services, Call call);
Task<Result<http::Response>> report_metrics(ApiServices& services, Call call);
Task<Result<http::Response>> report_training_metrics(ApiServices& services, Call call);
Task<Result<http::Response>> report_validation_metrics(ApiServices& services, Call call);
Task<Result<http::Response>> report_progress(ApiServices& services, Call call);
Task<Result<http::Response>> report_runner_state(ApiServices& services, Call call);
Task<Result<http::Response>> report_early_exit(ApiServices& services, Call call);

// run_metadata.cc
Task<Result<http::Response>> get_run_metadata(ApiServices& services, Call call);
Task<Result<http::Response>> set_run_metadata(ApiServices& services, Call call);

}  // namespace det::api::routes
