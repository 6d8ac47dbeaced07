#include "api/cluster/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/", kAnyone, kNobody, kPlain, kNone, kNoEvent, front_page},
    {"GET", "/info", kAnyone, kNobody, kPlain, kNone, kNoEvent, info},
    {"GET", "/health", kAnyone, kNobody, kPlain, kNone, kNoEvent, health},
    {"GET", "/ready", kAnyone, kNobody, kPlain, kNone, kNoEvent, ready},
    {"GET", "/metrics", kAnyone, kNobody, kPlain, kNone, kNoEvent, metrics},
    {"GET", "/prom/det-state-metrics", kAnyone, kNobody, kPlain, kNone, kNoEvent, state_metrics},
    {"GET", "/harness/wheels", kAnyone, kNobody, kPlain, kNone, kNoEvent, list_wheels},
    {"GET", "/harness/wheels/{name}", kAnyone, kNobody, kPlain, kNone, kNoEvent, get_wheel},
    {"GET", "/api/v1/master", kAnyone, kNobody, kPlain, kNone, kNoEvent, master},
});

}  // namespace

std::span<const RouteEntry> cluster_routes() {
  return kRoutes;
}

}  // namespace det::api
