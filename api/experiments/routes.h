#pragma once

// The routes of experiments. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> experiment_routes();

}  // namespace det::api

namespace det::api::routes {

// experiments.cc
Task<Result<http::Response>> create_experiment(ApiServices& services, Call call);
Task<Result<http::Response>> continue_experiment(ApiServices& services, Call call);
Task<Result<http::Response>> get_experiment(ApiServices& services, Call call);
Task<Result<http::Response>> patch_experiment(ApiServices& services, Call call);
Task<Result<http::Response>> best_validation_metric(ApiServices& services, Call call);

// experiment_list.cc
Task<Result<http::Response>> list_experiments(ApiServices& services, Call call);

// experiment_verbs.cc
Task<Result<http::Response>> pause(ApiServices& services, Call call);
Task<Result<http::Response>> activate(ApiServices& services, Call call);
Task<Result<http::Response>> cancel(ApiServices& services, Call call);
Task<Result<http::Response>> kill(ApiServices& services, Call call);
Task<Result<http::Response>> archive(ApiServices& services, Call call);
Task<Result<http::Response>> unarchive(ApiServices& services, Call call);
Task<Result<http::Response>> delete_experiment(ApiServices& services, Call call);

// bulk_verbs.cc
Task<Result<http::Response>> pause_many(ApiServices& services, Call call);
Task<Result<http::Response>> activate_many(ApiServices& services, Call call);
Task<Result<http::Response>> cancel_many(ApiServices& services, Call call);
Task<Result<http::Response>> kill_many(ApiServices& services, Call call);
Task<Result<http::Response>> archive_many(ApiServices& services, Call call);
Task<Result<http::Response>> unarchive_many(ApiServices& services, Call call);
Task<Result<http::Response>> delete_many(ApiServices& services, Call call);

// labels.cc
Task<Result<http::Response>> put_label(ApiServices& services, Call call);
Task<Result<http::Response>> delete_label(ApiServices& services, Call call);
Task<Result<http::Response>> list_labels(ApiServices& services, Call call);
// model_files.cc
Task<Result<http::Response>> get_model_def(ApiServices& services, Call call);
Task<Result<http::Response>> download_model_def(ApiServices& services, Call call);
Task<Result<http::Response>> download_model_file(ApiServices& services, Call call);
Task<Result<http::Response>> model_file_tree(ApiServices& services, Call call);
Task<Result<http::Response>> get_model_file(ApiServices& services, Call call);

}  // namespace det::api::routes
