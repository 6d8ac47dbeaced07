#include "wire/cluster.h"

namespace det::wire {

Json info(const MasterInfo& cluster) {
  return {{"version", kDeterminedVersion},
          {"master_id", cluster.master_id},
          {"cluster_id", cluster.cluster_id},
          {"cluster_name", cluster.cluster_name},
          {"telemetry", {{"enabled", false}, {"otel_enabled", false}, {"otel_endpoint", ""}}},
          {"sso_providers", nullptr}};
}

Json master(const MasterInfo& cluster) {
  return {{"version", kDeterminedVersion},    {"masterId", cluster.master_id},
          {"clusterId", cluster.cluster_id},  {"clusterName", cluster.cluster_name},
          {"telemetryEnabled", false},        {"ssoProviders", Json::array()},
          {"externalLoginUri", ""},           {"externalLogoutUri", ""},
          {"branding", "determined"},         {"rbacEnabled", cluster.shows_roles},
          {"product", "PRODUCT_UNSPECIFIED"}, {"featureSwitches", Json::array()},
          {"userManagementEnabled", true},    {"strictJobQueueControl", cluster.strict_job_queue},
          {"hasCustomLogo", false},           {"clusterMessage", nullptr}};
}

}  // namespace det::wire
