#include "scheduler/reserve.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace det::scheduler {
namespace {

struct Spot {
  NodeIndex node = 0;
  int now = 0;                   // pods that fit at once
  int kept = 0;                  // by the previous reservation
  int possible = 0;              // pods that fit once what runs has ended
  std::int64_t to_wait_for = 0;  // how much of the first wanted resource has to be given back for one pod
};

std::vector<Spot> spots(Cluster& cluster, const Gang& gang, const Reservation* previous) {
  const std::vector<Want> wants = cluster.wants(*gang.shape);
  const std::vector<char> away = cluster.kept_away(*gang.shape);
  std::vector<Spot> list;
  for (const NodeIndex node : cluster.eligible(*gang.shape).nodes) {
    Spot spot{.node = node, .possible = cluster.room_when_empty(node, wants, gang.size)};
    if (spot.possible == 0) continue;
    const bool is_away = !away.empty() && away[node] != 0;
    spot.now = is_away ? 0 : cluster.room(node, wants, gang.size);
    for (const Want& want : wants) {
      spot.to_wait_for += std::max<std::int64_t>(0, want.amount - cluster.free(node, want.column));
    }
    if (previous != nullptr) {
      const auto kept = previous->pods.find(cluster.node(node).name);
      if (kept != previous->pods.end()) spot.kept = std::min(kept->second, spot.possible);
    }
    list.push_back(spot);
  }
  return list;
}

// Takes spots in three passes, never more than the gang's size and a node's room.
class Taking {
 public:
  Taking(Cluster& cluster, const Gang& gang) : cluster_(cluster), left_(gang.size) {
    for (const std::string& label : own_spread(*gang.shape)) spread_.push_back(&cluster.domains(label));
    used_.resize(spread_.size());
  }

  void take(const Spot& spot, int pods) {
    int& taken = taken_[spot.node];
    pods = std::min({pods - taken, spot.possible - taken, left_});
    if (pods <= 0) return;
    if (!spread_.empty()) {
      if (taken > 0 || !may_spread(spot.node)) return;
      pods = 1;
    }
    taken += pods;
    left_ -= pods;
  }
  [[nodiscard]] bool is_done() const { return left_ == 0; }
  [[nodiscard]] std::map<std::string, int> result() const {
    std::map<std::string, int> pods;
    for (const auto& [node, number] : taken_) {
      if (number > 0) pods.emplace(cluster_.node(node).name, number);
    }
    return pods;
  }

 private:
  bool may_spread(NodeIndex node) {
    for (std::size_t i = 0; i < spread_.size(); ++i) {
      if (used_[i].contains((*spread_[i])[node])) return false;
    }
    for (std::size_t i = 0; i < spread_.size(); ++i) {
      if ((*spread_[i])[node] >= 0) used_[i].insert((*spread_[i])[node]);
    }
    return true;
  }

  Cluster& cluster_;
  int left_;
  std::map<NodeIndex, int> taken_;
  std::vector<const std::vector<int>*> spread_;
  std::vector<std::set<int>> used_;
};

}  // namespace

std::optional<Reservation> reserve(Cluster& cluster, const Gang& gang, const Reservation* previous) {
  std::vector<Spot> list = spots(cluster, gang, previous);
  Taking taking(cluster, gang);
  for (const Spot& spot : list) taking.take(spot, spot.now);
  for (const Spot& spot : list) taking.take(spot, spot.kept);
  std::ranges::sort(list, {}, [](const Spot& spot) { return std::tuple(spot.to_wait_for, spot.node); });
  for (const Spot& spot : list) taking.take(spot, spot.possible);
  if (!taking.is_done()) return std::nullopt;
  return Reservation{.gang = gang.name, .pods = taking.result()};
}

bool could_ever_hold(Cluster& cluster, const Gang& gang) {
  // Pods that keep apart from each other need the whole search: which node is taken decides what is left.
  if (!own_spread(*gang.shape).empty()) return reserve(cluster, gang, nullptr).has_value();
  const std::vector<Want> wants = cluster.wants(*gang.shape);
  int left = gang.size;
  for (const NodeIndex node : cluster.eligible(*gang.shape).nodes) {
    left -= cluster.room_when_empty(node, wants, left);
    if (left <= 0) return true;
  }
  return false;
}

}  // namespace det::scheduler
