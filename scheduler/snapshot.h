#pragma once

// What a decision looks at: the cluster's nodes and everybody's pods, claims and quotas at one moment, and the gangs
// that wait. Plain values; a Snapshot borrows them for the length of one call.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/node_selector.h"

namespace det::scheduler {

// Thousandths by resource name ("cpu", "memory", "nvidia.com/gpu", "rdma/ib", "pods"). Sorted, and few.
using Amounts = std::map<std::string, std::int64_t>;

struct Node {
  std::string name;
  Labels labels;
  std::vector<Taint> taints;
  bool unschedulable = false;
  bool ready = false;
  Amounts allocatable;  // without what disabled slots withhold

  bool operator==(const Node&) const = default;
};

// Required pod anti-affinity: no pod that `selector` selects in the same value of the node label `topology_key`.
struct AntiAffinity {
  std::string topology_key;
  LabelSelector selector;
  std::vector<std::string> namespaces;  // empty: the pod's own
  bool all_namespaces = false;

  bool operator==(const AntiAffinity&) const = default;
};

// What a pod wants of its node; all pods of a gang want the same.
struct PodShape {
  std::string ns;
  Labels labels;
  Amounts requests;  // with one of "pods"
  Amounts limits;    // for quotas on limits
  Labels node_selector;
  std::optional<Terms> affinity;  // required node affinity
  std::vector<Toleration> tolerations;
  std::vector<AntiAffinity> anti_affinity;
  std::vector<std::string> claims;  // names of PersistentVolumeClaims
  std::string priority_class;
  bool has_deadline = false;  // activeDeadlineSeconds: quotas of scope Terminating

  bool operator==(const PodShape&) const = default;
};

// A pod that holds a place on a node, or will: bound, pinned or assumed. Those that ended are left out.
struct Pod {
  std::string ns;
  std::string name;
  std::string node;
  std::shared_ptr<const PodShape> shape;
  bool is_permanent = false;  // of a DaemonSet or the node's own: not waited for when asking what could ever fit
  bool is_assumed = false;    // decided on, but not created yet: no quota has counted it

  bool operator==(const Pod& other) const {
    return ns == other.ns && name == other.name && node == other.node && is_permanent == other.is_permanent &&
           is_assumed == other.is_assumed && (shape == other.shape || (shape && other.shape && *shape == *other.shape));
  }
};

// A PersistentVolumeClaim by "namespace/name": bound to a volume that some nodes only can reach, or free.
struct Claim {
  std::optional<Terms> volume_affinity;

  bool operator==(const Claim&) const = default;
};

struct Quota {
  std::string ns;
  std::string name;
  Amounts hard;  // by the quota's own words: "requests.cpu", "limits.memory", "pods", "count/pods"
  Amounts used;
  // Whether somebody keeps `used`. Nobody does in local mode, nor a moment long for a quota that was just made; then
  // the snapshot's own pods are what is used.
  bool is_counted = true;
  // Scopes; a scope that is not understood makes the quota not count here, so the API server has the last word.
  bool is_understood = true;
  std::optional<bool> terminating;
  std::vector<Requirement> priority_class;  // scope PriorityClass, on the key "class"

  bool operator==(const Quota&) const = default;
};

struct Snapshot {
  std::vector<const Node*> nodes;
  std::vector<const Pod*> pods;
  std::map<std::string, const Claim*> claims;
  bool knows_claims = false;  // false: claims could not be read, a missing one says nothing
  std::vector<const Quota*> quotas;
  bool is_blind = false;  // nodes cannot be read
  // Blind only: a gang of several pods was created and not all of them are bound.
  bool has_unbound_gang = false;
};

struct Gang {
  std::string name;        // unique; what reasons call it
  int priority = 50;       // larger is first
  std::int64_t place = 0;  // of its job, among those of its priority; smaller is earlier
  std::int64_t order = 0;  // of its own submission; smaller is earlier
  int size = 1;            // pods still to be placed
  int held = 0;            // its pods that already exist
  std::shared_ptr<const PodShape> shape;
  std::string shape_key;  // of the shape
  // Nodes on which kube-scheduler would not have its pods, for a reason that is not known here: they are taken only
  // where it fits nowhere else.
  std::vector<std::string> refused_by;
  // Its pods exist but may be bound anywhere (they were created for an autoscaler to see): room is kept for them.
  bool is_floating = false;

  [[nodiscard]] bool is_started() const { return held > 0 || is_floating; }
};

}  // namespace det::scheduler
