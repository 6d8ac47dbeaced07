#include "operator/trial/stored_pod.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "base/yaml.h"
#include "model/cluster/cluster_defaults.h"
#include "model/pod/pod_policy_check.h"

namespace det::op {
namespace {

using nlohmann::json;

// A pool's policy may change any time; the cluster's changes when the operator starts.
constexpr std::chrono::seconds kLookAgain{30};
// Conditions are read by people in a terminal.
constexpr std::size_t kMostShown = 5;

struct Rules {
  model::PodPolicy policy;
  json defaults;  // of the cluster, for this experiment
};

Rules rules_for(const model::MasterConfig& master, const std::string& ns, const json& config) {
  const json& resources = get_any(config, "resources");
  const std::int64_t slots = get_integer(resources, "slots_per_trial");
  const std::string pool = get_string(resources, "resource_pool");
  return {.policy = master.pod_policies.of(ns, model::pool_or_default(pool, slots, master)),
          .defaults = model::cluster_layer(model::cluster_defaults(master), slots, pool)};
}

// What people wrote; the accepted configuration also has what the defaults of then gave.
std::optional<json> written_by_people(const store::ExperimentRow& row, bool has_template) {
  if (has_template) return std::nullopt;
  auto parsed = parse_yaml(row.original_config);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  return std::move(*parsed);
}

std::string listed(FieldErrors errors) {
  const std::size_t more = errors.size() - std::min(errors.size(), kMostShown);
  errors.resize(errors.size() - more);
  std::string text = join_errors(errors, "spec");
  for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) text.replace(at, 1, "; ");
  return more == 0 ? text : text + "; and " + std::to_string(more) + " more";
}

}  // namespace

std::optional<GangWait> wait_for_policy(const pods::PodSettings& settings, const store::ExperimentRow& row,
                                        const json& source, bool has_template) {
  const Rules rules = rules_for(settings.master, row.ns, row.config);
  FieldErrors refused = model::check_stored_pod(row.config, rules.defaults, rules.policy);
  if (!refused.empty()) {
    const auto written = written_by_people(row, has_template);
    if (written) refused = model::check_stored_pod(*written, rules.defaults, rules.policy);
  }
  for (Error& error : refused) error.field = child_path("config", error.field);
  for (Error& error : model::check_code_source(source, rules.defaults, rules.policy)) {
    error.field = child_path("context", error.field);
    refused.push_back(std::move(error));
  }
  if (refused.empty()) return std::nullopt;
  GangWait waits;
  waits.reason = kPodPolicyWait;
  waits.message =
      "pod_policy allows the trial's pods no longer; it goes on by itself when it does: " + listed(std::move(refused));
  waits.tree = {{"code", waits.reason}, {"message", waits.message}};
  waits.retry_in = kLookAgain;
  return waits;
}

}  // namespace det::op
