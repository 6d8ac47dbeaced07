#pragma once

// The cluster as the scheduler sees it, kept by informers: nodes and everybody's pods, volumes, claims, quotas; of each
// object only what scheduling needs. What the operator may not read is left out: without nodes and all pods it is
// blind, and says so once. Belongs to the io thread.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "k8sclient/informer.h"
#include "operator/gang/workload_key.h"
#include "scheduler/snapshot.h"

namespace det::op {

// A pod, ours or not.
struct SeenPod {
  scheduler::Pod pod;  // its node is where it is bound or pinned to; empty: kube-scheduler chooses
  bool is_over = false;
  bool is_bound = false;
  std::string gang;  // of ours: "<workload>/<run>"; else empty

  bool operator==(const SeenPod&) const = default;
};
[[nodiscard]] SeenPod view_seen_pod(const nlohmann::json& object, const std::string& managed_by);

// Owns what its snapshot borrows.
struct ClusterView {
  std::deque<scheduler::Pod> assumed;
  std::map<std::string, scheduler::Claim> claims;
  scheduler::Snapshot snapshot;
};

// A pod that was decided on and has not been seen yet.
struct AssumedPod {
  scheduler::Pod pod;
  bool is_of_several = false;       // its gang has more pods
  std::optional<SteadyTime> until;  // once created: if it is not seen by then, it came and went
};

class ClusterWatch {
 public:
  using Assumed = std::map<k8s::ObjectKey, AssumedPod>;

  // `ns`: where claims, quotas and, if blind, pods are read; empty: everywhere. `managed_by`: the label of our pods.
  ClusterWatch(asio::any_io_executor executor, k8s::Client& client, Clock& clock, std::string ns,
               std::string managed_by, std::function<void()> changed);

  // Finds out what may be read, then follows it; ends by cancellation.
  Task<void> run();
  // Complete copies of all that may be read.
  [[nodiscard]] bool is_ready() const;
  [[nodiscard]] bool is_blind() const { return is_blind_; }
  // More may be read now than when run() began.
  [[nodiscard]] bool is_outdated() const { return is_outdated_; }

  // Erases those that have appeared, and those that nobody has seen in time. To be called at every change: a pod that
  // came and went unnoticed would hold its place for nothing until its time is over.
  void forget_seen(Assumed& assumed) const;
  // A pod of that name is there, and is the workload's.
  [[nodiscard]] bool has_pod(const k8s::ObjectKey& pod, const WorkloadKey& owner) const;
  // Nodes that pods of the workload are pinned to, and not bound.
  [[nodiscard]] std::vector<std::string> refusing(const WorkloadKey& owner) const;
  // Valid until the next await.
  [[nodiscard]] ClusterView view(const Assumed& assumed) const;
  // Of our gangs of at least so many pods, by "<workload>/<run>": those of which pods may still be bound anywhere.
  [[nodiscard]] std::map<std::string, std::vector<const SeenPod*>> floating(std::size_t least_pods) const;

 private:
  Task<bool> may_read(std::string path);
  Task<void> ask_for_refused();

  k8s::Client& client_;
  Clock& clock_;
  std::string ns_;
  Logger log_{"scheduler"};
  k8s::Informer<scheduler::Node> nodes_;
  k8s::Informer<SeenPod> all_pods_;
  k8s::Informer<SeenPod> own_pods_;    // of the namespace, for a blind operator
  k8s::Informer<std::string> claims_;  // the volume's name; empty while unbound
  k8s::Informer<std::optional<scheduler::Terms>> volumes_;
  k8s::Informer<scheduler::Quota> quotas_;
  bool is_blind_ = false;
  bool reads_claims_ = false;
  bool reads_quotas_ = false;
  bool is_known_ = false;  // what may be read
  std::vector<std::string> refused_;
  bool is_outdated_ = false;
};

}  // namespace det::op
