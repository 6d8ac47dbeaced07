#pragma once

// The routes of experiments. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> experiment_routes();

}  // namespace det::api

namespace det::api::routes {

// experiments.cc
Task<Result<http::Response>> create_experiment(Services& services, Call call);
Task<Result<http::Response>> continue_experiment(Services& services, Call call);
Task<Result<http::Response>> list_experiments(Services& services, Call call);
Task<Result<http::Response>> get_experiment(Services& services, Call call);
Task<Result<http::Response>> patch_experiment(Services& services, Call call);
Task<Result<http::Response>> get_model_def(Services& services, Call call);
Task<Result<http::Response>> best_validation_metric(Services& services, Call call);

// experiment_verbs.cc
Task<Result<http::Response>> pause(Services& services, Call call);
Task<Result<http::Response>> activate(Services& services, Call call);
Task<Result<http::Response>> cancel(Services& services, Call call);
Task<Result<http::Response>> kill(Services& services, Call call);
Task<Result<http::Response>> archive(Services& services, Call call);
Task<Result<http::Response>> unarchive(Services& services, Call call);

// experiment_delete.cc
Task<Result<http::Response>> delete_experiment(Services& services, Call call);

}  // namespace det::api::routes
