#include "api/cluster/routes.h"

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
    {"GET", "/", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, front_page},
    {"GET", "/info", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, info},
    {"GET", "/health", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, health},
    {"GET", "/ready", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, ready},
    {"GET", "/metrics", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, metrics},
    {"GET", "/prom/det-state-metrics", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, state_metrics},
    {"GET", "/harness/wheels", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, list_wheels},
    {"GET", "/harness/wheels/{name}", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, get_wheel},
    {"GET", "/api/v1/master/cluster_message", kAdminLogin, kNobody, kUpdateMasterConfig, kPlain, kNone, kNoEvent,
     get_cluster_message},
    {"PUT", "/api/v1/master/cluster_message", kAdminLogin, kNobody, kUpdateMasterConfig, kPlain, kSmall,
     "master.message", set_cluster_message},
    {"DELETE", "/api/v1/master/cluster_message", kAdminLogin, kNobody, kUpdateMasterConfig, kPlain, kNone,
     "master.message", clear_cluster_message},
    {"GET", "/api/v1/master/logs", kOwnerLogin, kNobody, kViewMasterLogs, kPlain, kNone, kNoEvent, master_logs},
    {"GET", "/logs", kOwnerLogin, kNobody, kViewMasterLogs, kPlain, kNone, kNoEvent, legacy_master_logs},
    {"GET", "/config", kAdminLogin, kNobody, kViewMasterConfig, kPlain, kNone, kNoEvent, legacy_master_config},
    {"GET", "/api/v1/master", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, master},
    {"GET", "/api/v1/master/telemetry", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, telemetry},
    {"GET", "/api/v1/k8s-resource-managers", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, resource_managers},
    {"GET", "/api/v1/master/config", kAdminLogin, kNobody, kViewMasterConfig, kPlain, kNone, kNoEvent, master_config},
    {"PATCH", "/api/v1/master/config", kAdminLogin, kNobody, kUpdateMasterConfig, kPlain, kSmall, "master.config",
     patch_master_config},
});

}  // namespace

std::span<const RouteEntry> cluster_routes() {
  return kRoutes;
}

}  // namespace det::api
