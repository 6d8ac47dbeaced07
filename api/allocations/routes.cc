#include "api/allocations/routes.h"

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
    {"GET", "/api/v1/allocations/{id}", kPeople, kAllocation, kViewNsc, kPlain, kNone, kNoEvent, get_allocation},
    {"GET", "/api/v1/tasks/{id}/acceleratorData", kPeople, kTask, kViewNsc, kPlain, kNone, kNoEvent, task_accelerators},
    {"POST", "/api/v1/allocations/{id}/notify_container_running", kItsTask, kAllocation, kUpdateNsc, kPlain, kSmall,
     kNoEvent, refuse_container_notice},
    {"GET", "/api/v1/allocations/{id}/resources/{resources}/rendezvous", kItsTask, kAllocation, kUpdateNsc, kHarness,
     kNone, kNoEvent, rendezvous},
    {"POST", "/api/v1/allocations/{id}/resources/{resources}/daemon", kItsTask, kAllocation, kUpdateNsc, kHarness,
     kSmall, kNoEvent, report_daemon},
    {"GET", "/api/v1/allocations/{id}/signals/preemption", kItsTask, kAllocation, kUpdateNsc, kHarness, kNone, kNoEvent,
     preemption},
    {"POST", "/api/v1/allocations/{id}/signals/ack_preemption", kItsTask, kAllocation, kUpdateNsc, kHarness, kSmall,
     kNoEvent, ack_preemption},
    {"POST", "/api/v1/allocations/{id}/signals/pending_preemption", kItsTask, kAllocation, kUpdateNsc, kHarness, kSmall,
     kNoEvent, pending_preemption},
    {"GET", "/api/v1/allocations/{id}/code_commit", kItsTask, kAllocation, kUpdateNsc, kHarness, kNone, kNoEvent,
     find_code_commit},
    {"POST", "/api/v1/allocations/{id}/code_commit", kItsTask, kAllocation, kUpdateNsc, kHarness, kSmall, kNoEvent,
     pin_code_commit},
    {"POST", "/api/v1/allocations/{id}/acceleratorData", kItsTask, kAllocation, kUpdateNsc, kHarness, kSmall, kNoEvent,
     report_accelerator},
    {"POST", "/api/v1/allocations/{id}/proxy_address", kItsTask, kAllocation, kUpdateNsc, kHarness, kSmall, kNoEvent,
     report_proxy_address},
    {"POST", "/api/v1/allocations/{id}/ready", kItsTask, kAllocation, kUpdateNsc, kHarness, kSmall, kNoEvent,
     report_ready},
    {"POST", "/api/v1/allocations/{id}/waiting", kItsTask, kAllocation, kUpdateNsc, kHarness, kSmall, kNoEvent,
     report_waiting},
    {"POST", "/api/v1/allocations/{id}/all_gather", kItsTask, kAllocation, kUpdateNsc, kHarness, kSmall, kNoEvent,
     all_gather},
});

}  // namespace

std::span<const RouteEntry> allocation_routes() {
  return kRoutes;
}

}  // namespace det::api
