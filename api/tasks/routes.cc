#include "api/tasks/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/tasks", kPeople, kNobody, kPlain, kNone, kNoEvent, list_tasks},
    {"GET", "/api/v1/tasks/count", kPeople, kNobody, kPlain, kNone, kNoEvent, count_tasks},
    {"GET", "/api/v1/tasks/{id}", kPeople, kTask, kPlain, kNone, kNoEvent, get_task},
    {"GET", "/api/v1/tasks/{id}/context_directory", kAnyToken, kTask, kHarness, kNone, kNoEvent, context_directory},
});

}  // namespace

std::span<const RouteEntry> task_routes() {
  return kRoutes;
}

}  // namespace det::api
