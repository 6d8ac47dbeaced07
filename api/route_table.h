#pragma once

// The one table of routes, and the path of a request through it: once its head is there, authenticate and authorize;
// with its body, handle; turn errors into answers; guard harnesses.

#include <span>
#include <string_view>

#include "api/route_policy.h"
#include "api/services.h"
#include "http/router.h"

namespace det::api {

// For tests and documentation.
[[nodiscard]] std::span<const RouteEntry> route_entries();

// Whether a request for this path may end with a session of somebody, as the policies of the routes say.
[[nodiscard]] bool is_login_path(std::string_view path);

// The ApiServices outlive the router.
[[nodiscard]] http::Router make_router(ApiServices& services);

}  // namespace det::api
