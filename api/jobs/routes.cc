#include "api/jobs/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Exempt;
using enum model::Permission;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/job-queues", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_jobs},
    {"POST", "/api/v1/job-queues", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, "job.change", update_jobs},
    {"GET", "/api/v1/job-queues-v2", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_jobs_v2},
    {"GET", "/api/v1/job-queues/stats", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, job_stats},
    {"GET", "/api/v1/job-queues/{id}/reason", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, explain_job},
});

}  // namespace

std::span<const RouteEntry> job_routes() {
  return kRoutes;
}

}  // namespace det::api
