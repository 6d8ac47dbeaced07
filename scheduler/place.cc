#include "scheduler/place.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/quantity.h"

namespace det::scheduler {
namespace {

// More pods of one kind than any node takes.
constexpr int kNoLimit = 10'000;

struct Candidate {
  NodeIndex node = 0;
  int room = 0;
  int domain_rank = 0;     // nearness: smaller is better
  bool is_costly = false;  // has devices that the pods do not want
};

bool is_better(const Candidate& a, const Candidate& b) {
  return std::tuple(a.domain_rank, a.is_costly, a.room, a.node) <
         std::tuple(b.domain_rank, b.is_costly, b.room, b.node);
}

std::vector<Candidate> candidates(Cluster& cluster, const PodShape& shape) {
  const Eligible& eligible = cluster.eligible(shape);
  if (!eligible.missing_claim.empty()) return {};
  const std::vector<Want> wants = cluster.wants(shape);
  const bool wants_device = std::ranges::any_of(
      wants, [&](const Want& want) { return cluster.resource(want.column).find('/') != std::string::npos; });
  const std::vector<char> away = cluster.kept_away(shape);
  std::vector<Candidate> list;
  for (const NodeIndex node : eligible.nodes) {
    if (!away.empty() && away[node] != 0) continue;
    const int room = cluster.room(node, wants, kNoLimit);
    if (room > 0) {
      list.push_back({.node = node, .room = room, .is_costly = !wants_device && cluster.has_extended_resources(node)});
    }
  }
  return list;
}

// Values of the shape's own spreading labels that a node stands for.
class Spread {
 public:
  Spread(Cluster& cluster, const PodShape& shape) {
    for (const std::string& label : own_spread(shape)) labels_.push_back(&cluster.domains(label));
    used_.resize(labels_.size());
  }
  [[nodiscard]] bool is_active() const { return !labels_.empty(); }
  [[nodiscard]] bool allows(NodeIndex node) const {
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (used_[i].contains((*labels_[i])[node])) return false;
    }
    return true;
  }
  void use(NodeIndex node) {
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if ((*labels_[i])[node] >= 0) used_[i].insert((*labels_[i])[node]);
    }
  }

 private:
  std::vector<const std::vector<int>*> labels_;
  std::vector<std::set<int>> used_;
};

std::vector<NodeIndex> fill(Cluster& cluster, const PodShape& shape, int pods, std::vector<Candidate> list) {
  Spread spread(cluster, shape);
  const std::size_t needed = spread.is_active() ? list.size() : std::min<std::size_t>(list.size(), pods);
  std::partial_sort(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(needed), list.end(), is_better);
  std::vector<NodeIndex> nodes;
  const std::size_t wanted = static_cast<std::size_t>(pods);
  for (std::size_t i = 0; i < needed && nodes.size() < wanted; ++i) {
    if (spread.is_active()) {
      if (!spread.allows(list[i].node)) continue;
      spread.use(list[i].node);
      nodes.push_back(list[i].node);
      continue;
    }
    const std::size_t room = std::min<std::size_t>(list[i].room, wanted - nodes.size());
    nodes.insert(nodes.end(), room, list[i].node);
  }
  return nodes;
}

// Room by value of a label; nodes without it count for none.
std::map<int, std::int64_t> room_by_domain(const std::vector<int>& domains, const std::vector<Candidate>& list) {
  std::map<int, std::int64_t> room;
  for (const Candidate& each : list) {
    if (domains[each.node] >= 0) room[domains[each.node]] += each.room;
  }
  return room;
}

// In the fullest domain of the narrowest topology that holds the whole gang, if any does.
std::vector<NodeIndex> place_together(Cluster& cluster, const PodShape& shape, int pods,
                                      const std::vector<Candidate>& list, const PlaceOptions& options) {
  for (const std::string& label : options.topology) {
    const std::vector<int>& domains = cluster.domains(label);
    std::vector<std::pair<std::int64_t, int>> enough;
    for (const auto& [domain, room] : room_by_domain(domains, list)) {
      if (room >= pods) enough.emplace_back(room, domain);
    }
    std::ranges::sort(enough);
    for (const auto& [room, domain] : enough) {
      std::vector<Candidate> near;
      std::ranges::copy_if(list, std::back_inserter(near),
                           [&, d = domain](const Candidate& each) { return domains[each.node] == d; });
      auto nodes = fill(cluster, shape, pods, std::move(near));
      if (nodes.size() == static_cast<std::size_t>(pods)) return nodes;
    }
  }
  return {};
}

// Over as few domains of the widest topology as can be: the roomiest first.
void rank_domains(Cluster& cluster, std::vector<Candidate>& list, const PlaceOptions& options) {
  if (options.topology.empty()) return;
  const std::vector<int>& domains = cluster.domains(options.topology.back());
  std::vector<std::pair<std::int64_t, int>> order;
  for (const auto& [domain, room] : room_by_domain(domains, list)) order.emplace_back(-room, domain);
  std::ranges::sort(order);
  std::map<int, int> rank;
  for (const auto& [room, domain] : order) rank.emplace(domain, static_cast<int>(rank.size()));
  for (Candidate& each : list) {
    const int domain = domains[each.node];
    each.domain_rank = domain < 0 ? static_cast<int>(rank.size()) : rank.at(domain);
  }
}

}  // namespace

std::vector<std::string> own_spread(const PodShape& shape) {
  std::vector<std::string> labels;
  for (const AntiAffinity& rule : shape.anti_affinity) {
    if (keeps_away(rule, shape.ns, shape.ns, shape.labels)) labels.push_back(rule.topology_key);
  }
  return labels;
}

std::vector<NodeIndex> place(Cluster& cluster, const PodShape& shape, int pods, const PlaceOptions& options,
                             const std::vector<std::string>& without) {
  std::vector<Candidate> list = candidates(cluster, shape);
  for (const std::string& name : without) {
    const auto node = cluster.find(name);
    if (node) std::erase_if(list, [&](const Candidate& each) { return each.node == *node; });
  }
  std::int64_t room = 0;
  for (const Candidate& each : list) room += each.room;
  if (pods > 1 && room >= pods) {
    auto nodes = place_together(cluster, shape, pods, list, options);
    if (!nodes.empty()) return nodes;
    rank_domains(cluster, list, options);
  }
  return fill(cluster, shape, pods, std::move(list));
}

namespace {

// Nodes that have too little, by what they lack.
class Lacks {
 public:
  // `free` of `want` is what ends a node that has room for `room` pods.
  void add(const Want& want, int room, std::int64_t free) {
    WaitReason& why = room > 0 ? runs_out_[want.column] : short_of_[want.column];
    ++why.nodes;
    if (room > 0) {
      why.available += room;
      return;
    }
    why.wanted = want.amount;
    why.available = std::max<std::int64_t>({why.available, free, 0});
  }
  // `with_some`: also those that have room for some of the `pods`.
  void put_into(WaitReason& reason, const Cluster& cluster, int pods, bool with_some) {
    for (auto& [column, lack] : short_of_) {
      lack.code = ReasonCode::kInsufficient;
      lack.subject = cluster.resource(column);
      reason.children.push_back(std::move(lack));
    }
    if (!with_some) return;
    for (auto& [column, some] : runs_out_) {
      some.code = ReasonCode::kRunsOut;
      some.subject = cluster.resource(column);
      some.wanted = pods;
      reason.children.push_back(std::move(some));
    }
  }

 private:
  std::map<std::size_t, WaitReason> short_of_;
  std::map<std::size_t, WaitReason> runs_out_;
};

// The first of `wants` of which a node with `room` pods has too little for one more; nullptr if there is none.
template <typename Free>
const Want* lacking(const std::vector<Want>& wants, int room, Free free) {
  const auto found = std::ranges::find_if(wants, [&](const Want& want) {
    return free(want.column) < product_clamped(want.amount, room + std::int64_t{1});
  });
  return found == wants.end() ? nullptr : &*found;
}

}  // namespace

WaitReason why_not(Cluster& cluster, const PodShape& shape, int pods, int placed,
                   const std::vector<std::string>& reserved) {
  if (cluster.size() == 0) return {.code = ReasonCode::kNoNodes};
  const Eligible& eligible = cluster.eligible(shape);
  if (!eligible.missing_claim.empty()) return {.code = ReasonCode::kClaimMissing, .subject = eligible.missing_claim};
  WaitReason reason{.code = ReasonCode::kDoesNotFit,
                    .nodes = static_cast<std::int64_t>(cluster.size()),
                    .wanted = pods,
                    .available = placed};
  reason.children = eligible.objections;
  const std::vector<Want> wants = cluster.wants(shape);
  const std::vector<char> away = cluster.kept_away(shape);
  Lacks lacks;
  std::map<std::string, std::int64_t> kept;
  std::int64_t near = 0;
  std::int64_t room_unkept = 0;
  for (const NodeIndex node : eligible.nodes) {
    if (!away.empty() && away[node] != 0) {
      ++near;
      continue;
    }
    const int room = cluster.room_unkept(node, wants, pods);
    room_unkept += room;
    if (room > 0 && !reserved.empty() && !reserved[node].empty() && cluster.room(node, wants, 1) == 0) {
      ++kept[reserved[node]];
      continue;
    }
    const auto free = [&](std::size_t column) { return cluster.free_unkept(node, column); };
    const Want* want = room < pods ? lacking(wants, room, free) : nullptr;
    if (want != nullptr) lacks.add(*want, room, free(want->column));
  }
  // Where the pods spread by their own anti-affinity, room is not what ends it.
  lacks.put_into(reason, cluster, pods, room_unkept < pods && own_spread(shape).empty());
  for (const auto& [gang, nodes] : kept) {
    reason.children.push_back({.code = ReasonCode::kReserved, .subject = gang, .nodes = nodes});
  }
  if (room_unkept >= pods && !kept.empty()) {
    reason.code = ReasonCode::kBehind;
    reason.subject = kept.begin()->first;
  }
  if (near > 0) reason.children.push_back({.code = ReasonCode::kAntiAffinity, .nodes = near});
  return reason;
}

WaitReason why_never(Cluster& cluster, const PodShape& shape, int pods, WaitReason now) {
  now.code = ReasonCode::kNeverFits;
  now.available = 0;
  const Eligible& eligible = cluster.eligible(shape);
  now.children = eligible.objections;
  const std::vector<Want> wants = cluster.wants(shape);
  Lacks lacks;
  Spread spread(cluster, shape);
  const int most = spread.is_active() ? 1 : pods;  // on a node
  for (const NodeIndex node : eligible.nodes) {
    const int room = cluster.room_when_empty(node, wants, most);
    if (room > 0) {
      if (!spread.allows(node)) continue;
      spread.use(node);
    }
    now.available += room;
    const auto free = [&](std::size_t column) { return cluster.free_when_empty(node, column); };
    const Want* want = room < most ? lacking(wants, room, free) : nullptr;
    if (want != nullptr) lacks.add(*want, room, free(want->column));
  }
  lacks.put_into(now, cluster, pods, !spread.is_active());
  if (spread.is_active()) {
    const std::string label = own_spread(shape).front();
    now.children.push_back({.code = ReasonCode::kAntiAffinity, .subject = label, .nodes = now.available});
  }
  return now;
}

}  // namespace det::scheduler
