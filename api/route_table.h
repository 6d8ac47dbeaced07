#pragma once

// The one table of routes, and the path of a request through it: once its head is there, authenticate and authorize;
// with its body, handle; turn errors into answers; guard harnesses.

#include <span>

#include "api/route_policy.h"
#include "api/services.h"
#include "http/router.h"

namespace det::api {

// For tests and documentation.
[[nodiscard]] std::span<const RouteEntry> route_entries();

// The ApiServices outlive the router.
[[nodiscard]] http::Router make_router(ApiServices& services);

}  // namespace det::api
