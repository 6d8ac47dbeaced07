#pragma once

// Small clusters for the scheduler's tests, in few words.

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/decide.h"
#include "scheduler/read_objects.h"

namespace det::scheduler {

// Owns what a Snapshot borrows.
class TestCluster {
 public:
  Node& add_node(const std::string& name, int gpus = 8, int cpus = 64) {
    Node& node = nodes.emplace_back();
    node.name = name;
    node.labels = {{"kubernetes.io/hostname", name}};
    node.ready = true;
    node.allocatable = {{"cpu", cpus * 1000}, {"memory", 512LL * 1000 << 30}, {"pods", 110'000}};
    if (gpus > 0) node.allocatable["nvidia.com/gpu"] = gpus * 1000;
    return node;
  }
  void add_nodes(int count, int gpus = 8) {
    for (int i = 0; i < count; ++i) add_node("n" + std::to_string(100 + i), gpus);
  }
  Pod& add_pod(const std::string& node, int gpus, const std::string& name = "") {
    Pod& pod = pods.emplace_back();
    pod.ns = "default";
    pod.name = name.empty() ? "p" + std::to_string(pods.size()) : name;
    pod.node = node;
    pod.shape = shape(gpus);
    return pod;
  }
  // A gang of `size` pods of `gpus` each; later ones come later.
  Gang& add_gang(const std::string& name, int size, int gpus, int priority = 50) {
    return add_gang(name, size, *shape(gpus), priority);
  }
  Gang& add_gang(const std::string& name, int size, PodShape wanted, int priority = 50) {
    Gang& gang = gangs.emplace_back();
    gang.name = name;
    gang.order = static_cast<std::int64_t>(gangs.size());
    gang.priority = priority;
    gang.size = size;
    gang.shape_key = shape_key(wanted);
    gang.shape = std::make_shared<const PodShape>(std::move(wanted));
    return gang;
  }
  static std::shared_ptr<const PodShape> shape(int gpus, int cpu_milli = 1000) {
    PodShape shape;
    shape.ns = "default";
    shape.requests = {{"cpu", cpu_milli}, {"pods", 1000}};
    if (gpus > 0) shape.requests["nvidia.com/gpu"] = gpus * 1000;
    return std::make_shared<const PodShape>(std::move(shape));
  }

  [[nodiscard]] Snapshot snapshot() const {
    Snapshot snapshot;
    for (const Node& node : nodes) snapshot.nodes.push_back(&node);
    for (const Pod& pod : pods) snapshot.pods.push_back(&pod);
    for (const auto& [name, claim] : claims) snapshot.claims.emplace(name, &claim);
    snapshot.knows_claims = true;
    for (const Quota& quota : quotas) snapshot.quotas.push_back(&quota);
    return snapshot;
  }
  [[nodiscard]] Schedule decide() const { return scheduler::decide(snapshot(), gangs, reservations, options); }

  std::deque<Node> nodes;
  std::deque<Pod> pods;
  std::map<std::string, Claim> claims;
  std::deque<Quota> quotas;
  std::vector<Gang> gangs;
  std::vector<Reservation> reservations;
  DecideOptions options;
};

inline std::vector<std::string> started(const Schedule& decision) {
  std::vector<std::string> names;
  for (const Admitted& each : decision.admitted) names.push_back(each.gang);
  return names;
}

inline const WaitReason* reason_of(const Schedule& decision, const std::string& gang) {
  for (const Waiting& each : decision.waiting) {
    if (each.gang == gang) return each.reason.get();
  }
  return nullptr;
}

inline std::string why(const Schedule& decision, const std::string& gang) {
  const WaitReason* reason = reason_of(decision, gang);
  return reason == nullptr ? "it starts" : sentence(*reason);
}

}  // namespace det::scheduler
