#pragma once

// Finds room for a whole gang, or for none of it. Pure.

#include <memory>
#include <string>
#include <vector>

#include "scheduler/cluster.h"

namespace det::scheduler {

struct PlaceOptions {
  // Node labels that say how near nodes are, narrowest first. A gang is kept within one value where one has room for
  // it.
  std::vector<std::string> topology = {"topology.kubernetes.io/rack", "topology.kubernetes.io/zone"};
};

// Nodes of the pods, one for each; fewer than asked for when the gang does not fit.
// The tightest nodes are filled first, so that large gaps stay for large gangs; pods without a device stay off nodes
// that have some while others have room. All pods are alike, so filling node by node misses no solution (except where
// anti-affinity of several overlapping topologies asks for a puzzle: then the gang may wait although it could fit).
// `without`: names of nodes that are not taken.
[[nodiscard]] std::vector<NodeIndex> place(Cluster& cluster, const PodShape& shape, int pods,
                                           const PlaceOptions& options, const std::vector<std::string>& without = {});

// Why not: one child per kind of objection. `reserved[node]` says for whom a node's room is kept; the list, or an
// entry, is empty where it is for nobody.
[[nodiscard]] WaitReason why_not(Cluster& cluster, const PodShape& shape, int pods, int placed,
                                 const std::vector<std::string>& reserved);

// The same of pods that would not fit if the cluster were empty either: how large the nodes are, not what is free now.
[[nodiscard]] WaitReason why_never(Cluster& cluster, const PodShape& shape, int pods, WaitReason now);

// Rules of the shape that keep its own pods apart from each other: node labels.
[[nodiscard]] std::vector<std::string> own_spread(const PodShape& shape);

}  // namespace det::scheduler
