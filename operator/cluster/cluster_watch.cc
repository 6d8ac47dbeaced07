#include "operator/cluster/cluster_watch.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "base/race.h"
#include "operator/gang/workload_key.h"
#include "pods/names.h"
#include "scheduler/read_objects.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kRetry{2};
constexpr std::chrono::seconds kFirstAsking{10};
constexpr std::chrono::minutes kBetweenAskings{5};
constexpr const char* kOne = "?limit=1";

k8s::ReflectorOptions watch_of(k8s::Resource resource, std::string ns, std::string labels = {}) {
  k8s::ReflectorOptions options;
  options.resource = std::move(resource);
  options.ns = std::move(ns);
  options.label_selector = std::move(labels);
  return options;
}

// Calls `changed` when an object says something new. Status updates of pods and heartbeats of nodes mostly do not.
template <typename T>
void tell_changes(k8s::Informer<T>& informer, std::function<void()> changed) {
  informer.add_handler([changed = std::move(changed)](const k8s::ObjectKey&, const T* before, const T* now) {
    if (before == nullptr || now == nullptr || !(*before == *now)) changed();
  });
}

}  // namespace

SeenPod view_seen_pod(const json& object, const std::string& managed_by) {
  const json& meta = get_any(object, "metadata");
  const json& labels = get_any(meta, "labels");
  SeenPod seen;
  seen.pod.ns = get_string(meta, "namespace");
  seen.pod.name = get_string(meta, "name");
  seen.pod.node = scheduler::node_of(object);
  seen.pod.is_permanent = scheduler::is_permanent(object);
  seen.is_over = scheduler::is_over(object);
  seen.is_bound = !get_string(get_any(object, "spec"), "nodeName").empty();
  const WorkloadKey owner = workload_of(seen.pod.ns, labels);
  const bool is_ours = get_string(labels, pods::kLabelManagedBy) == managed_by && !owner.key.name.empty();
  if (is_ours) seen.gang = to_string(owner) + "/" + get_string(labels, pods::kLabelRun);
  scheduler::PodShape shape = scheduler::read_shape(object);
  // A bound pod's own wishes for its node have been granted; only its anti-affinity still speaks.
  if (seen.is_bound) {
    shape.affinity.reset();
    shape.node_selector.clear();
    shape.tolerations.clear();
    shape.claims.clear();
  }
  seen.pod.shape = std::make_shared<const scheduler::PodShape>(std::move(shape));
  return seen;
}

ClusterWatch::ClusterWatch(asio::any_io_executor executor, k8s::Client& client, Clock& clock, std::string ns,
                           std::string managed_by, std::function<void()> changed)
    : client_(client),
      clock_(clock),
      ns_(std::move(ns)),
      nodes_(client, clock, executor, watch_of(k8s::nodes(), ""), scheduler::read_node),
      all_pods_(client, clock, executor, watch_of(k8s::pods(), ""),
                [managed_by](const json& object) { return view_seen_pod(object, managed_by); }),
      own_pods_(client, clock, executor,
                watch_of(k8s::pods(), ns_, std::string(pods::kLabelManagedBy) + "=" + managed_by),
                [managed_by](const json& object) { return view_seen_pod(object, managed_by); }),
      claims_(client, clock, executor, watch_of(k8s::persistent_volume_claims(), ns_), scheduler::volume_of),
      volumes_(client, clock, executor, watch_of(k8s::persistent_volumes(), ""), scheduler::read_volume_affinity),
      quotas_(client, clock, executor, watch_of(k8s::resource_quotas(), ns_), scheduler::read_quota) {
  tell_changes(nodes_, changed);
  tell_changes(all_pods_, changed);
  tell_changes(own_pods_, changed);
  tell_changes(claims_, changed);
  tell_changes(volumes_, changed);
  tell_changes(quotas_, changed);
}

Task<bool> ClusterWatch::may_read(std::string path) {
  for (;;) {
    auto answer = co_await client_.get_raw(path + kOne);
    if (answer) co_return true;
    const ErrorCode code = answer.error().code;
    if (code == ErrorCode::kPermissionDenied || code == ErrorCode::kNotFound) {
      refused_.push_back(std::move(path));
      co_return false;
    }
    log_.warn("the cluster cannot be read yet", {{"path", path}, {"error", answer.error().message}});
    co_await clock_.sleep_for(kRetry);
  }
}

// An API server that has just started refuses what it grants a moment later, and rights are given later, too.
Task<void> ClusterWatch::ask_for_refused() {
  std::chrono::seconds delay = kFirstAsking;
  for (;;) {
    co_await clock_.sleep_for(delay);
    delay = std::min<std::chrono::seconds>(delay * 2, kBetweenAskings);
    for (const std::string& path : refused_) {
      if (!co_await client_.get_raw(path + kOne)) continue;
      log_.info("more of the cluster may be read than before", {{"path", path}});
      is_outdated_ = true;
      co_return;
    }
  }
}

Task<void> ClusterWatch::run() {
  const bool reads_nodes = co_await may_read(k8s::nodes().collection_path(""));
  const bool reads_pods = co_await may_read(k8s::pods().collection_path(""));
  const bool reads_volumes = co_await may_read(k8s::persistent_volumes().collection_path(""));
  // A claim says where a pod may go by its volume only.
  reads_claims_ = reads_volumes && co_await may_read(k8s::persistent_volume_claims().collection_path(ns_));
  reads_quotas_ = co_await may_read(k8s::resource_quotas().collection_path(ns_));
  is_blind_ = !reads_nodes || !reads_pods;
  is_known_ = true;
  if (is_blind_) {
    log_.warn("nodes and all pods cannot be read: gangs are admitted by quota, one after another",
              {{"nodes", reads_nodes}, {"pods", reads_pods}});
  }
  std::vector<Task<void>> parts;
  if (is_blind_) {
    parts.push_back(own_pods_.run());
  } else {
    parts.push_back(nodes_.run());
    parts.push_back(all_pods_.run());
  }
  if (reads_claims_) {
    parts.push_back(claims_.run());
    parts.push_back(volumes_.run());
  }
  if (reads_quotas_) parts.push_back(quotas_.run());
  if (!refused_.empty()) parts.push_back(ask_for_refused());
  co_await all_of(std::move(parts));
}

bool ClusterWatch::is_ready() const {
  if (!is_known_) return false;
  if (is_blind_ ? !own_pods_.synced() : !nodes_.synced() || !all_pods_.synced()) return false;
  if (reads_claims_ && (!claims_.synced() || !volumes_.synced())) return false;
  return !reads_quotas_ || quotas_.synced();
}

void ClusterWatch::forget_seen(Assumed& assumed) const {
  const auto& pods = is_blind_ ? own_pods_ : all_pods_;
  const SteadyTime now = clock_.steady_now();
  std::erase_if(assumed, [&](const auto& entry) {
    return pods.find(entry.first) != nullptr || (entry.second.until && *entry.second.until <= now);
  });
}

bool ClusterWatch::has_pod(const k8s::ObjectKey& pod, const WorkloadKey& owner) const {
  const SeenPod* seen = (is_blind_ ? own_pods_ : all_pods_).find(pod);
  return seen != nullptr && seen->gang.starts_with(to_string(owner) + "/");
}

ClusterView ClusterWatch::view(const Assumed& assumed) const {
  ClusterView view;
  scheduler::Snapshot& snapshot = view.snapshot;
  snapshot.is_blind = is_blind_;
  const auto& pods = is_blind_ ? own_pods_ : all_pods_;
  pods.each([&](const k8s::ObjectKey&, const SeenPod& seen) {
    if (!seen.is_over && !seen.pod.node.empty()) snapshot.pods.push_back(&seen.pod);
  });
  for (const auto& [key, each] : assumed) snapshot.pods.push_back(&view.assumed.emplace_back(each.pod));
  nodes_.each([&](const k8s::ObjectKey&, const scheduler::Node& node) { snapshot.nodes.push_back(&node); });
  snapshot.knows_claims = reads_claims_;
  claims_.each([&](const k8s::ObjectKey& key, const std::string& volume) {
    scheduler::Claim& claim = view.claims[to_string(key)];
    const auto* affinity = volume.empty() ? nullptr : volumes_.find({.ns = "", .name = volume});
    if (affinity != nullptr) claim.volume_affinity = *affinity;
  });
  for (const auto& [name, claim] : view.claims) snapshot.claims.emplace(name, &claim);
  quotas_.each([&](const k8s::ObjectKey&, const scheduler::Quota& quota) { snapshot.quotas.push_back(&quota); });
  return view;
}

std::vector<std::string> ClusterWatch::refusing(const WorkloadKey& owner) const {
  const std::string gang = to_string(owner) + "/";
  std::vector<std::string> nodes;
  all_pods_.each([&](const k8s::ObjectKey&, const SeenPod& seen) {
    if (!seen.gang.starts_with(gang) || seen.is_over || seen.is_bound || seen.pod.node.empty()) return;
    if (std::ranges::find(nodes, seen.pod.node) == nodes.end()) nodes.push_back(seen.pod.node);
  });
  return nodes;
}

std::map<std::string, std::vector<const SeenPod*>> ClusterWatch::floating(std::size_t least_pods) const {
  std::map<std::string, std::vector<const SeenPod*>> gangs;
  const auto& pods = is_blind_ ? own_pods_ : all_pods_;
  pods.each([&](const k8s::ObjectKey&, const SeenPod& seen) {
    if (!seen.gang.empty() && !seen.is_over) gangs[seen.gang].push_back(&seen);
  });
  std::erase_if(gangs, [least_pods](const auto& entry) {
    const auto may_go_anywhere = [](const SeenPod* pod) { return pod->pod.node.empty(); };
    return entry.second.size() < least_pods || std::ranges::none_of(entry.second, may_go_anywhere);
  });
  return gangs;
}

}  // namespace det::op
