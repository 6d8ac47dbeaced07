#include "wire/cluster.h"

namespace det::wire {

namespace {

Json providers_snake_case(const MasterInfo& cluster) {
  if (cluster.sign_in_providers.empty()) return nullptr;
  Json list = Json::array();
  for (const SignInProvider& one : cluster.sign_in_providers) {
    list.push_back(
        {{"sso_url", one.url}, {"name", one.name}, {"type", one.type}, {"always_redirect", one.always_redirect}});
  }
  return list;
}

Json providers(const MasterInfo& cluster) {
  Json list = Json::array();
  for (const SignInProvider& one : cluster.sign_in_providers) {
    list.push_back(
        {{"ssoUrl", one.url}, {"name", one.name}, {"type", one.type}, {"alwaysRedirect", one.always_redirect}});
  }
  return list;
}

}  // namespace

Json info(const MasterInfo& cluster) {
  return {{"version", kDeterminedVersion},
          {"master_id", cluster.master_id},
          {"cluster_id", cluster.cluster_id},
          {"cluster_name", cluster.cluster_name},
          {"telemetry", {{"enabled", false}, {"otel_enabled", false}, {"otel_endpoint", ""}}},
          {"sso_providers", providers_snake_case(cluster)}};
}

Json master(const MasterInfo& cluster) {
  return {{"version", kDeterminedVersion},    {"masterId", cluster.master_id},
          {"clusterId", cluster.cluster_id},  {"clusterName", cluster.cluster_name},
          {"telemetryEnabled", false},        {"ssoProviders", providers(cluster)},
          {"externalLoginUri", ""},           {"externalLogoutUri", ""},
          {"branding", "determined"},         {"rbacEnabled", cluster.shows_roles},
          {"product", "PRODUCT_UNSPECIFIED"}, {"featureSwitches", cluster.feature_switches},
          {"userManagementEnabled", true},    {"strictJobQueueControl", cluster.strict_job_queue},
          {"hasCustomLogo", false},           {"clusterMessage", nullptr}};
}

}  // namespace det::wire
