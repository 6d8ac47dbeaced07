#pragma once

// Streams of JSON may stay open for days, longer than the right to read them: a log that is followed, for instance.
// Belongs to the io thread.

#include <chrono>
#include <functional>

#include "api/route_policy.h"

namespace det::api {

inline constexpr std::chrono::seconds kBetweenLooksAtAccess{10};

// `body`, for as long as the sender of `request` may call the route: before something is written this is asked again,
// once in `between`. After that the last line is the error ("invalid credentials", for instance). While the database is
// away nobody loses rights. The request outlives the stream.
[[nodiscard]] http::StreamBody while_permitted(ApiServices& services, const RoutePolicy& policy,
                                               const http::Request& request, http::StreamBody body,
                                               std::chrono::seconds between = kBetweenLooksAtAccess);

// The same of streams whose handler asks (Exempt::kHandlerAsks), where the table of routes cannot: `permit` says again
// whether the caller, as roles are now, may see what the stream shows.
using Permit = std::function<Task<Status>(SharedIdentity caller)>;
[[nodiscard]] http::StreamBody while_permitted(ApiServices& services, const http::Request& request, Permit permit,
                                               http::StreamBody body,
                                               std::chrono::seconds between = kBetweenLooksAtAccess);

}  // namespace det::api
