#include "api/live/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Exempt;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    // Topics that the caller may not look at are left out.
    {"GET", "/api/v1/live", kOwnerLogin, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, live_events},
    // So are records of workspaces where the caller may not look.
    {"GET", "/stream", kOwnerLogin, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, record_stream},
});

}  // namespace

std::span<const RouteEntry> live_routes() {
  return kRoutes;
}

}  // namespace det::api
