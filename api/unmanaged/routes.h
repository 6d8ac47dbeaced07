#pragma once

// Unmanaged experiments (determined.experimental.core_v2): their trials run where people start them, and report here
// with their user's token. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> unmanaged_routes();

}  // namespace det::api

namespace det::api::routes {

// unmanaged.cc
Task<Result<http::Response>> put_experiment(ApiServices& services, Call call);
Task<Result<http::Response>> create_trial(ApiServices& services, Call call);
Task<Result<http::Response>> put_trial(ApiServices& services, Call call);
Task<Result<http::Response>> find_external_trial(ApiServices& services, Call call);
Task<Result<http::Response>> start_trial(ApiServices& services, Call call);
Task<Result<http::Response>> patch_trial(ApiServices& services, Call call);

}  // namespace det::api::routes
