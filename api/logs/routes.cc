#include "api/logs/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/trials/{id}/logs", kPeople, kTrial, kPlain, kNone, kNoEvent, trial_logs},
    {"GET", "/api/v1/trials/{id}/logs/fields", kPeople, kTrial, kPlain, kNone, kNoEvent, trial_log_fields},
    {"GET", "/api/v1/tasks/{id}/logs", kPeople, kTask, kPlain, kNone, kNoEvent, task_logs},
    {"GET", "/api/v1/tasks/{id}/logs/fields", kPeople, kTask, kPlain, kNone, kNoEvent, task_log_fields},
    {"POST", "/api/v1/task/logs", kItsTask, kNamedInBody, kHarness, kLogs, kNoEvent, post_logs},
});

}  // namespace

std::span<const RouteEntry> log_routes() {
  return kRoutes;
}

}  // namespace det::api
