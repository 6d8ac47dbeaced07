#include "operator/gang/policy_wait.h"

#include <algorithm>

#include "model/cluster/cluster_defaults.h"
#include "model/pod/pod_policy_check.h"

namespace det::op {
namespace {

using nlohmann::json;

// A pool's policy may change any time; the cluster's changes when the operator starts.
constexpr std::chrono::seconds kLookAgain{30};
// Conditions are read by people in a terminal.
constexpr std::size_t kMostShown = 5;

std::string listed(FieldErrors errors) {
  const std::size_t more = errors.size() - std::min(errors.size(), kMostShown);
  errors.resize(errors.size() - more);
  std::string text = join_errors(errors, "spec");
  for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) text.replace(at, 1, "; ");
  return more == 0 ? text : text + "; and " + std::to_string(more) + " more";
}

}  // namespace

std::optional<GangWait> wait_for_policy(const pods::PodSettings& settings, const StoredPod& pod) {
  const model::MasterConfig& master = settings.master;
  const model::PodPolicy policy = master.pod_policies.of(pod.ns, model::pool_or_default(pod.pool, pod.slots, master));
  const json defaults = model::cluster_layer(model::cluster_defaults(master), pod.slots, pod.pool);
  FieldErrors refused = model::check_stored_pod(pod.config, defaults, policy);
  if (!refused.empty() && pod.written) refused = model::check_stored_pod(*pod.written, defaults, policy);
  for (Error& error : refused) error.field = child_path("config", error.field);
  for (Error& error : model::check_code_source(pod.source, defaults, policy)) {
    error.field = child_path("context", error.field);
    refused.push_back(std::move(error));
  }
  if (refused.empty()) return std::nullopt;
  GangWait waits;
  waits.reason = kPodPolicyWait;
  waits.message = "pod_policy allows the " + std::string(pod.whose) +
                  "'s pods no longer; it goes on by itself when it does: " + listed(std::move(refused));
  waits.tree = {{"code", waits.reason}, {"message", waits.message}};
  waits.retry_in = kLookAgain;
  return waits;
}

}  // namespace det::op
