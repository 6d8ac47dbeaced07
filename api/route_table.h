#pragma once

// The one table of routes, and the path of a request through it: authenticate, guard harnesses, handle, turn errors
// into answers.

#include "api/services.h"
#include "http/router.h"

namespace det::api {

// The Services outlive the router.
[[nodiscard]] http::Router make_router(Services& services);

}  // namespace det::api
