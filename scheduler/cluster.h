#pragma once

// The cluster during one decision: what is free on each node, who may run where. Nodes are indexes in the order of
// their names, so that the same cluster gives the same decision however it was listed. Pure.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduler/reason.h"
#include "scheduler/snapshot.h"

namespace det::scheduler {

using NodeIndex = std::uint32_t;

// Nodes that labels, taints and volumes leave for a shape, and what the others' objections are.
struct Eligible {
  std::vector<NodeIndex> nodes;
  std::vector<WaitReason> objections;  // counted
  std::string missing_claim;           // not empty: no node will do before it exists
};

// One resource that a pod wants.
struct Want {
  std::size_t column = 0;
  std::int64_t amount = 0;
};

class Cluster {
 public:
  explicit Cluster(const Snapshot& snapshot);

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const Node& node(NodeIndex index) const { return *nodes_[index]; }
  // nullopt: no such node (any more).
  [[nodiscard]] std::optional<NodeIndex> find(const std::string& name) const;
  [[nodiscard]] bool has_extended_resources(NodeIndex index) const { return has_extended_[index] != 0; }

  // Kept for the life of the cluster.
  const Eligible& eligible(const PodShape& shape);
  // Devices come first: they are what is short, so that most nodes are passed over by one look.
  std::vector<Want> wants(const PodShape& shape);
  [[nodiscard]] const std::string& resource(std::size_t column) const { return resources_[column]; }

  // How many pods that want this fit on the node beside all that is there, up to `limit`.
  [[nodiscard]] int room(NodeIndex node, const std::vector<Want>& wants, int limit) const {
    return room_in(free_, node, wants, limit);
  }
  // The same if nothing but permanent pods ran there.
  [[nodiscard]] int room_when_empty(NodeIndex node, const std::vector<Want>& wants, int limit) const {
    return room_in(empty_, node, wants, limit);
  }
  // The same if nothing were kept for gangs that wait.
  [[nodiscard]] int room_unkept(NodeIndex node, const std::vector<Want>& wants, int limit) const {
    return room_in(unkept_, node, wants, limit);
  }
  [[nodiscard]] std::int64_t free(NodeIndex node, std::size_t column) const { return free_[column][node]; }
  [[nodiscard]] std::int64_t free_unkept(NodeIndex node, std::size_t column) const { return unkept_[column][node]; }
  [[nodiscard]] std::int64_t free_when_empty(NodeIndex node, std::size_t column) const { return empty_[column][node]; }
  void take(NodeIndex node, const std::vector<Want>& wants, int pods);
  // Keeps room for pods that do not run yet. It may be more than there is: then less than nothing is free.
  void keep(NodeIndex node, const std::vector<Want>& wants, int pods);

  // Pods of this shape are on this node from now on, for the anti-affinity of those that come later.
  void put(NodeIndex node, std::shared_ptr<const PodShape> shape);
  // Nodes (by index, 1) that anti-affinity keeps this shape from; empty: none.
  [[nodiscard]] std::vector<char> kept_away(const PodShape& shape) const;
  // Which anti-affinity of the snapshot's pods speaks of this shape, as a text: where it is the same for two shapes
  // that differ in nothing but labels, these pods keep both from the same nodes. Nothing where there are too many
  // rules.
  [[nodiscard]] std::optional<std::string> rules_about(const PodShape& shape) const;

  // A number per node, the same for nodes with the same value of the label; -1 without it.
  const std::vector<int>& domains(const std::string& label);

 private:
  using Columns = std::vector<std::vector<std::int64_t>>;
  struct Placed {
    NodeIndex node = 0;
    std::shared_ptr<const PodShape> shape;
  };

  // Asked for every node, for every gang. Most nodes of a full cluster have no room: that is found out before anything
  // is divided.
  static int room_in(const Columns& columns, NodeIndex node, const std::vector<Want>& wants, int limit) {
    for (const Want& want : wants) {
      if (columns[want.column][node] < want.amount) return 0;
    }
    std::int64_t room = limit;
    for (const Want& want : wants) room = std::min(room, columns[want.column][node] / want.amount);
    return static_cast<int>(room);
  }
  struct Rule {
    std::string ns;
    AntiAffinity rule;

    bool operator==(const Rule&) const = default;
  };
  std::size_t column(const std::string& resource);
  void gather_rules();
  [[nodiscard]] Eligible find_eligible(const PodShape& shape) const;

  std::vector<const Node*> nodes_;
  std::unordered_map<std::string, NodeIndex> by_name_;
  std::vector<std::string> resources_;
  Columns free_;
  Columns unkept_;
  Columns empty_;
  std::vector<char> has_extended_;
  std::vector<Placed> placed_;
  std::vector<Placed> ruling_;  // those of them that have anti-affinity of their own: few, in most clusters
  std::vector<Rule> rules_;     // of the snapshot's pods, each once
  bool has_too_many_rules_ = false;
  const std::map<std::string, const Claim*>& claims_;
  bool knows_claims_ = false;
  std::unordered_map<std::string, Eligible> eligible_;
  std::map<std::string, std::vector<int>> domains_;
};

// Does this anti-affinity of a pod in `own_ns` speak of a pod with these labels in `ns`?
[[nodiscard]] bool keeps_away(const AntiAffinity& rule, const std::string& own_ns, const std::string& ns,
                              const Labels& labels);

}  // namespace det::scheduler
