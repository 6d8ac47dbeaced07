#pragma once

// The routes of checkpoints. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> checkpoint_routes();

}  // namespace det::api

namespace det::api::routes {

// checkpoints.cc
Task<Result<http::Response>> report_checkpoint(Services& services, Call call);
Task<Result<http::Response>> patch_checkpoints(Services& services, Call call);
Task<Result<http::Response>> delete_checkpoints(Services& services, Call call);
Task<Result<http::Response>> get_checkpoint(Services& services, Call call);
Task<Result<http::Response>> experiment_checkpoints(Services& services, Call call);
Task<Result<http::Response>> trial_checkpoints(Services& services, Call call);

}  // namespace det::api::routes
