#pragma once

// Which nodes a resource pool is made of: what its pods ask for when their experiment asks for nothing more. Pure.

#include <optional>
#include <string>
#include <vector>

#include "model/cluster/master_config.h"
#include "scheduler/snapshot.h"

namespace det::scheduler {

struct PoolPlace {
  Labels node_selector;
  std::optional<Terms> affinity;
  std::vector<Toleration> tolerations;
  bool takes_all = false;  // the only pool, and nothing is said about its nodes

  [[nodiscard]] bool chooses_nodes() const { return !node_selector.empty() || affinity.has_value(); }
};

// From the pool's selector and tolerations and its own pod_spec (the one for slots, else the other); the tolerations
// of the cluster's pod_spec count too. What an experiment's pod_spec asks for beyond that makes no pool.
[[nodiscard]] PoolPlace read_pool_place(const std::string& pool, const model::MasterConfig& config);
// Whether such a pod could run there if the node were empty and ready. Taints that Kubernetes sets for a while
// (cordoned, unreachable, under pressure) and those that mark GPUs do not count.
[[nodiscard]] bool is_in_pool(const Node& node, const PoolPlace& place);

}  // namespace det::scheduler
