#pragma once

// The routes of checkpoints. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> checkpoint_routes();

}  // namespace det::api

namespace det::api::routes {

// checkpoints.cc
Task<Result<http::Response>> report_checkpoint(ApiServices& services, Call call);
Task<Result<http::Response>> patch_checkpoints(ApiServices& services, Call call);
Task<Result<http::Response>> set_checkpoint_metadata(ApiServices& services, Call call);
Task<Result<http::Response>> get_checkpoint(ApiServices& services, Call call);
Task<Result<http::Response>> experiment_checkpoints(ApiServices& services, Call call);
Task<Result<http::Response>> trial_checkpoints(ApiServices& services, Call call);

// checkpoint_metrics.cc
Task<Result<http::Response>> checkpoint_metrics(ApiServices& services, Call call);

// download.cc
Task<Result<http::Response>> download_checkpoint(ApiServices& services, Call call);

// removals.cc
Task<Result<http::Response>> delete_checkpoints(ApiServices& services, Call call);
Task<Result<http::Response>> remove_checkpoint_files(ApiServices& services, Call call);
Task<Result<http::Response>> preview_gc(ApiServices& services, Call call);
Task<Result<http::Response>> delete_tensorboard_files(ApiServices& services, Call call);
Task<Result<http::Response>> held_checkpoints(ApiServices& services, Call call);
Task<Result<http::Response>> release_held_checkpoints(ApiServices& services, Call call);

}  // namespace det::api::routes
