#pragma once

// The routes that read metrics: reports as they were made, curves with as many points as a screen has, and the trials
// of an experiment side by side. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> metric_routes();

}  // namespace det::api

namespace det::api::routes {

// report_streams.cc
Task<Result<http::Response>> stream_metrics(ApiServices& services, Call call);
Task<Result<http::Response>> stream_training_metrics(ApiServices& services, Call call);
Task<Result<http::Response>> stream_validation_metrics(ApiServices& services, Call call);

// time_series.cc
Task<Result<http::Response>> trials_time_series(ApiServices& services, Call call);

// experiment_curves.cc
Task<Result<http::Response>> experiment_curves(ApiServices& services, Call call);

// experiment_streams.cc
Task<Result<http::Response>> stream_metric_names(ApiServices& services, Call call);
Task<Result<http::Response>> stream_metric_batches(ApiServices& services, Call call);
Task<Result<http::Response>> stream_trials_snapshot(ApiServices& services, Call call);
Task<Result<http::Response>> validation_history(ApiServices& services, Call call);

// trials_sample.cc
Task<Result<http::Response>> stream_trials_sample(ApiServices& services, Call call);

// profiler.cc
Task<Result<http::Response>> report_profile(ApiServices& services, Call call);
Task<Result<http::Response>> stream_profile(ApiServices& services, Call call);
Task<Result<http::Response>> stream_profiled_series(ApiServices& services, Call call);

}  // namespace det::api::routes
