#pragma once

// The routes of live events and records. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> live_routes();

}  // namespace det::api

namespace det::api::routes {

// live_stream.cc
Task<Result<http::Response>> live_events(ApiServices& services, Call call);
// record_stream.cc
Task<Result<http::TakeoverEnd>> record_stream(ApiServices& services, Call call, http::ClientStream& client);

}  // namespace det::api::routes
