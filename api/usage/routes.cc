#include "api/usage/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum model::Permission;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/resources/allocation/raw", kPeople, kNobody, kViewClusterUsage, kPlain, kNone, kNoEvent,
     raw_usage},
    {"GET", "/api/v1/resources/allocation/aggregated", kPeople, kNobody, kViewClusterUsage, kPlain, kNone, kNoEvent,
     aggregated_usage},
    {"GET", "/resources/allocation/raw", kPeople, kNobody, kViewClusterUsage, kPlain, kNone, kNoEvent, raw_usage_csv},
    {"GET", "/resources/allocation/allocations-csv", kPeople, kNobody, kViewClusterUsage, kPlain, kNone, kNoEvent,
     allocations_csv},
    {"GET", "/resources/allocation/aggregated", kPeople, kNobody, kViewClusterUsage, kPlain, kNone, kNoEvent,
     aggregated_usage_csv},
});

}  // namespace

std::span<const RouteEntry> usage_routes() {
  return kRoutes;
}

}  // namespace det::api
