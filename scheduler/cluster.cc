#include "scheduler/cluster.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/quantity.h"
#include "scheduler/read_objects.h"

namespace det::scheduler {
namespace {

constexpr std::size_t kMostRules = 500;
constexpr const char* kUnschedulableTaint = "node.kubernetes.io/unschedulable";

// Vendor resources carry a domain ("nvidia.com/gpu", "rdma/ib"); a node that has some is kept for pods that want them.
bool is_extended(const std::string& resource) {
  return resource.find('/') != std::string::npos;
}

struct VolumeRule {
  std::string claim;
  const Terms* terms = nullptr;
};

std::optional<WaitReason> objection(const Node& node, const PodShape& shape, const std::vector<VolumeRule>& volumes) {
  if (!node.ready) return WaitReason{.code = ReasonCode::kNotReady};
  const Taint cordon{.key = kUnschedulableTaint, .value = "", .effect = "NoSchedule"};
  if (node.unschedulable && !tolerates(shape.tolerations, cordon))
    return WaitReason{.code = ReasonCode::kUnschedulable};
  for (const auto& [key, value] : shape.node_selector) {
    const auto label = node.labels.find(key);
    if (label == node.labels.end() || label->second != value) return WaitReason{.code = ReasonCode::kSelector};
  }
  if (shape.affinity && !matches(*shape.affinity, node.labels, node.name))
    return WaitReason{.code = ReasonCode::kSelector};
  for (const Taint& taint : node.taints) {
    if (tolerates(shape.tolerations, taint)) continue;
    return WaitReason{.code = ReasonCode::kTaint, .subject = taint.key + "=" + taint.value + ":" + taint.effect};
  }
  for (const VolumeRule& volume : volumes) {
    if (!matches(*volume.terms, node.labels, node.name)) {
      return WaitReason{.code = ReasonCode::kVolumeAffinity, .subject = volume.claim};
    }
  }
  return std::nullopt;
}

void take_of(std::int64_t& amount, const Want& want, int pods) {
  amount = difference_clamped(amount, product_clamped(want.amount, pods));
}

}  // namespace

bool keeps_away(const AntiAffinity& rule, const std::string& own_ns, const std::string& ns, const Labels& labels) {
  const bool is_namespace = rule.all_namespaces || (rule.namespaces.empty() ? ns == own_ns : false) ||
                            std::ranges::find(rule.namespaces, ns) != rule.namespaces.end();
  return is_namespace && matches(rule.selector, labels);
}

Cluster::Cluster(const Snapshot& snapshot)
    : nodes_(snapshot.nodes), claims_(snapshot.claims), knows_claims_(snapshot.knows_claims) {
  std::ranges::sort(nodes_, {}, [](const Node* node) { return std::string_view(node->name); });
  has_extended_.resize(nodes_.size());
  for (NodeIndex i = 0; i < nodes_.size(); ++i) {
    by_name_.emplace(nodes_[i]->name, i);
    for (const auto& [resource, amount] : nodes_[i]->allocatable) {
      empty_[column(resource)][i] = amount;
      if (amount > 0 && is_extended(resource)) has_extended_[i] = 1;
    }
  }
  free_ = empty_;
  for (const Pod* pod : snapshot.pods) {
    const auto at = by_name_.find(pod->node);
    if (at == by_name_.end()) continue;
    for (const auto& [resource, amount] : pod->shape->requests) {
      const std::size_t c = column(resource);
      free_[c][at->second] = difference_clamped(free_[c][at->second], amount);
      if (pod->is_permanent) empty_[c][at->second] = difference_clamped(empty_[c][at->second], amount);
    }
    put(at->second, pod->shape);
  }
  unkept_ = free_;
  gather_rules();
}

// Pods of one workload have the same; a cluster has as many as workloads that spread themselves.
void Cluster::gather_rules() {
  for (const Placed& pod : ruling_) {
    for (const AntiAffinity& each : pod.shape->anti_affinity) {
      Rule rule{.ns = pod.shape->ns, .rule = each};
      if (std::ranges::find(rules_, rule) != rules_.end()) continue;
      if (rules_.size() == kMostRules) {
        has_too_many_rules_ = true;
        return;
      }
      rules_.push_back(std::move(rule));
    }
  }
}

std::optional<std::string> Cluster::rules_about(const PodShape& shape) const {
  if (has_too_many_rules_) return std::nullopt;
  std::string about;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (keeps_away(rules_[i].rule, rules_[i].ns, shape.ns, shape.labels)) about += "|" + std::to_string(i);
  }
  return about;
}

std::optional<NodeIndex> Cluster::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

// A handful of names: looking at all of them is quicker than hashing one, and this is asked for every pod.
std::size_t Cluster::column(const std::string& resource) {
  const auto known = std::ranges::find(resources_, resource);
  if (known == resources_.end()) {
    resources_.push_back(resource);
    empty_.emplace_back(nodes_.size());
    free_.emplace_back(nodes_.size());
    unkept_.emplace_back(nodes_.size());
    return resources_.size() - 1;
  }
  return static_cast<std::size_t>(known - resources_.begin());
}

std::vector<Want> Cluster::wants(const PodShape& shape) {
  std::vector<Want> list;
  for (const auto& [resource, amount] : shape.requests) {
    if (amount > 0) list.push_back({.column = column(resource), .amount = amount});
  }
  std::ranges::sort(list, {},
                    [&](const Want& want) { return std::pair(!is_extended(resources_[want.column]), want.column); });
  return list;
}

void Cluster::take(NodeIndex node, const std::vector<Want>& wants, int pods) {
  for (const Want& want : wants) take_of(unkept_[want.column][node], want, pods);
  keep(node, wants, pods);
}

void Cluster::keep(NodeIndex node, const std::vector<Want>& wants, int pods) {
  for (const Want& want : wants) take_of(free_[want.column][node], want, pods);
}

void Cluster::put(NodeIndex node, std::shared_ptr<const PodShape> shape) {
  if (!shape->anti_affinity.empty()) ruling_.push_back({.node = node, .shape = shape});
  placed_.push_back({.node = node, .shape = std::move(shape)});
}

std::vector<char> Cluster::kept_away(const PodShape& shape) const {
  if (shape.anti_affinity.empty() && ruling_.empty()) return {};
  std::map<std::string, std::set<std::string>> closed;  // label -> values
  const auto close = [&](const std::string& label, NodeIndex node) {
    const auto value = nodes_[node]->labels.find(label);
    if (value != nodes_[node]->labels.end()) closed[label].insert(value->second);
  };
  for (const AntiAffinity& rule : shape.anti_affinity) {
    for (const Placed& pod : placed_) {
      if (keeps_away(rule, shape.ns, pod.shape->ns, pod.shape->labels)) close(rule.topology_key, pod.node);
    }
  }
  for (const Placed& pod : ruling_) {
    for (const AntiAffinity& rule : pod.shape->anti_affinity) {
      if (keeps_away(rule, pod.shape->ns, shape.ns, shape.labels)) close(rule.topology_key, pod.node);
    }
  }
  if (closed.empty()) return {};
  std::vector<char> away(nodes_.size());
  for (NodeIndex i = 0; i < nodes_.size(); ++i) {
    for (const auto& [label, values] : closed) {
      const auto value = nodes_[i]->labels.find(label);
      if (value != nodes_[i]->labels.end() && values.contains(value->second)) away[i] = 1;
    }
  }
  return away;
}

const Eligible& Cluster::eligible(const PodShape& shape) {
  std::string key = constraint_key(shape);
  const auto known = eligible_.find(key);
  if (known != eligible_.end()) return known->second;
  return eligible_.emplace(std::move(key), find_eligible(shape)).first->second;
}

Eligible Cluster::find_eligible(const PodShape& shape) const {
  Eligible result;
  std::vector<VolumeRule> volumes;
  for (const std::string& name : shape.claims) {
    const auto claim = claims_.find(shape.ns + "/" + name);
    if (claim == claims_.end()) {
      if (knows_claims_) result.missing_claim = name;
      continue;
    }
    if (claim->second->volume_affinity) volumes.push_back({name, &*claim->second->volume_affinity});
  }
  std::map<std::pair<ReasonCode, std::string>, std::int64_t> counts;
  for (NodeIndex i = 0; i < nodes_.size(); ++i) {
    const auto why = objection(*nodes_[i], shape, volumes);
    if (why) {
      ++counts[{why->code, why->subject}];
    } else {
      result.nodes.push_back(i);
    }
  }
  for (const auto& [what, nodes] : counts) {
    // The same for all nodes, and only now, because there are many of them.
    const bool is_selector = what.first == ReasonCode::kSelector;
    result.objections.push_back(
        {.code = what.first,
         .subject = is_selector ? wanted_labels(shape.node_selector, shape.affinity.value_or(Terms{})) : what.second,
         .nodes = nodes});
  }
  return result;
}

const std::vector<int>& Cluster::domains(const std::string& label) {
  const auto known = domains_.find(label);
  if (known != domains_.end()) return known->second;
  std::map<std::string, int> numbers;
  for (const Node* node : nodes_) {
    const auto value = node->labels.find(label);
    if (value != node->labels.end()) numbers.emplace(value->second, 0);
  }
  int next = 0;
  for (auto& [value, number] : numbers) number = next++;
  std::vector<int> list;
  for (const Node* node : nodes_) {
    const auto value = node->labels.find(label);
    list.push_back(value == node->labels.end() ? -1 : numbers.at(value->second));
  }
  return domains_.emplace(label, std::move(list)).first->second;
}

}  // namespace det::scheduler
