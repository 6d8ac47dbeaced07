#include "scheduler/read_objects.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "base/quantity.h"
#include "scheduler/disabled_slots.h"

namespace det::scheduler {
namespace {

using nlohmann::json;

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kNodeName = "metadata.name";

Amounts read_amounts(const json& object) {
  Amounts amounts;
  for (const auto& [name, value] : object.items()) {
    const auto milli = parse_milli_clamped(value.is_string() ? value.get<std::string>() : value.dump());
    if (milli) amounts[name] = *milli;
  }
  return amounts;
}

struct Wants {
  Amounts requests;
  Amounts limits;
};

Wants wants_of(const json& container) {
  const json& resources = get_object(container, "resources");
  Wants wants{.requests = read_amounts(get_object(resources, "requests")),
              .limits = read_amounts(get_object(resources, "limits"))};
  for (const auto& [name, amount] : wants.limits) wants.requests.emplace(name, amount);
  return wants;
}

void add(Amounts& sum, const Amounts& more) {
  for (const auto& [name, amount] : more) sum[name] = sum_clamped(sum[name], amount);
}

void raise(Amounts& sum, const Amounts& other) {
  for (const auto& [name, amount] : other) {
    std::int64_t& value = sum[name];
    value = std::max(value, amount);
  }
}

// An init container runs beside the sidecars that were started before it.
Amounts total(const json& spec, Amounts Wants::* kind) {
  Amounts containers;
  for (const json& container : get_array(spec, "containers")) add(containers, wants_of(container).*kind);
  Amounts sidecars;
  Amounts initialisation;
  for (const json& container : get_array(spec, "initContainers")) {
    const Amounts own = wants_of(container).*kind;
    if (get_string(container, "restartPolicy") == "Always") {
      add(sidecars, own);
      raise(initialisation, sidecars);
      continue;
    }
    Amounts step = sidecars;
    add(step, own);
    raise(initialisation, step);
  }
  add(containers, sidecars);
  raise(containers, initialisation);
  return containers;
}

Wants pod_wants(const json& spec) {
  Wants wants{.requests = total(spec, &Wants::requests), .limits = total(spec, &Wants::limits)};
  const Wants pod_level = wants_of(spec);
  for (const auto& [name, amount] : pod_level.requests) wants.requests[name] = amount;
  for (const auto& [name, amount] : pod_level.limits) wants.limits[name] = amount;
  const Amounts overhead = read_amounts(get_object(spec, "overhead"));
  add(wants.requests, overhead);
  for (const auto& [name, amount] : overhead) {
    const auto limit = wants.limits.find(name);
    if (limit != wants.limits.end()) limit->second = sum_clamped(limit->second, amount);
  }
  wants.requests["pods"] = 1000;
  return wants;
}

std::vector<AntiAffinity> read_anti_affinity(const json& spec) {
  std::vector<AntiAffinity> list;
  const json& anti = get_object(get_object(spec, "affinity"), "podAntiAffinity");
  for (const json& term : get_array(anti, kRequired)) {
    AntiAffinity each{.topology_key = get_string(term, "topologyKey"),
                      .selector = read_label_selector(get_any(term, "labelSelector"))};
    for (const json& ns : get_array(term, "namespaces")) {
      if (ns.is_string()) each.namespaces.push_back(ns.get<std::string>());
    }
    // Labels of namespaces are not known here; any namespace is the careful reading.
    each.all_namespaces = get_any(term, "namespaceSelector").is_object();
    list.push_back(std::move(each));
  }
  return list;
}

std::vector<std::string> read_claims(const json& pod) {
  std::vector<std::string> claims;
  for (const json& volume : get_array(get_object(pod, "spec"), "volumes")) {
    const std::string claim = get_string(get_object(volume, "persistentVolumeClaim"), "claimName");
    if (!claim.empty()) claims.push_back(claim);
  }
  return claims;
}

bool has_scope(const json& spec, const char* scope) {
  const json& scopes = get_array(spec, "scopes");
  return std::any_of(scopes.begin(), scopes.end(), [&](const json& each) { return each == scope; });
}

}  // namespace

Node read_node(const json& object) {
  const json& meta = get_object(object, "metadata");
  const json& spec = get_object(object, "spec");
  const json& status = get_object(object, "status");
  Node node;
  node.name = get_string(meta, "name");
  node.labels = read_labels(get_any(meta, "labels"));
  for (const json& taint : get_array(spec, "taints")) {
    node.taints.push_back(
        {.key = get_string(taint, "key"), .value = get_string(taint, "value"), .effect = get_string(taint, "effect")});
  }
  node.unschedulable = get_bool(spec, "unschedulable");
  for (const json& condition : get_array(status, "conditions")) {
    if (get_string(condition, "type") == "Ready") node.ready = get_string(condition, "status") == "True";
  }
  const bool has_allocatable = get_any(status, "allocatable").is_object();
  node.allocatable = read_amounts(get_object(status, has_allocatable ? "allocatable" : "capacity"));
  for (const auto& [resource, amount] : withheld_by(read_disabled_slots(object))) {
    const auto found = node.allocatable.find(resource);
    if (found != node.allocatable.end()) found->second = std::max<std::int64_t>(0, found->second - amount);
  }
  return node;
}

PodShape read_shape(const json& pod) {
  const json& meta = get_object(pod, "metadata");
  const json& spec = get_object(pod, "spec");
  PodShape shape;
  shape.ns = get_string(meta, "namespace");
  shape.labels = read_labels(get_any(meta, "labels"));
  Wants wants = pod_wants(spec);
  shape.requests = std::move(wants.requests);
  shape.limits = std::move(wants.limits);
  shape.node_selector = read_labels(get_any(spec, "nodeSelector"));
  const json& required = get_any(get_object(get_object(spec, "affinity"), "nodeAffinity"), kRequired);
  if (required.is_object()) shape.affinity = read_terms(required);
  shape.tolerations = read_tolerations(get_any(spec, "tolerations"));
  shape.anti_affinity = read_anti_affinity(spec);
  shape.claims = read_claims(pod);
  shape.priority_class = get_string(spec, "priorityClassName");
  shape.has_deadline = get_any(spec, "activeDeadlineSeconds").is_number();
  return shape;
}

std::string node_of(const json& pod) {
  const json& spec = get_object(pod, "spec");
  if (std::string bound = get_string(spec, "nodeName"); !bound.empty()) return bound;
  const json& required = get_object(get_object(get_object(spec, "affinity"), "nodeAffinity"), kRequired);
  for (const json& term : get_array(required, "nodeSelectorTerms")) {
    for (const json& field : get_array(term, "matchFields")) {
      const json& values = get_array(field, "values");
      const bool is_pin =
          get_string(field, "key") == kNodeName && get_string(field, "operator") == "In" && values.size() == 1;
      if (is_pin && values[0].is_string()) return values[0].get<std::string>();
    }
  }
  return {};
}

bool is_over(const json& pod) {
  const std::string phase = get_string(get_object(pod, "status"), "phase");
  return phase == "Succeeded" || phase == "Failed";
}

bool is_permanent(const json& pod) {
  for (const json& owner : get_array(get_object(pod, "metadata"), "ownerReferences")) {
    const std::string kind = get_string(owner, "kind");
    if (get_bool(owner, "controller") && (kind == "DaemonSet" || kind == "Node")) return true;
  }
  return false;
}

void pin_to(json& pod, const std::string& node) {
  const json pin = {{"key", kNodeName}, {"operator", "In"}, {"values", {node}}};
  json& affinity = pod["spec"]["affinity"]["nodeAffinity"];
  json& terms = affinity[kRequired]["nodeSelectorTerms"];
  if (!terms.is_array() || terms.empty()) {
    terms = json::array({{{"matchFields", json::array({pin})}}});
    return;
  }
  for (json& term : terms) {
    // An empty term selects nothing and has to go on doing so.
    if (term.empty()) continue;
    json& fields = term["matchFields"];
    if (!fields.is_array()) fields = json::array();
    fields.push_back(pin);
  }
}

std::string volume_of(const json& claim) {
  const bool is_bound = get_string(get_object(claim, "status"), "phase") == "Bound";
  return is_bound ? get_string(get_object(claim, "spec"), "volumeName") : std::string();
}

std::optional<Terms> read_volume_affinity(const json& volume) {
  const json& required = get_any(get_object(get_object(volume, "spec"), "nodeAffinity"), "required");
  if (!required.is_object()) return std::nullopt;
  return read_terms(required);
}

Quota read_quota(const json& object) {
  const json& meta = get_object(object, "metadata");
  const json& spec = get_object(object, "spec");
  const json& status = get_object(object, "status");
  Quota quota{.ns = get_string(meta, "namespace"), .name = get_string(meta, "name")};
  quota.hard = read_amounts(get_object(spec, "hard"));
  quota.used = read_amounts(get_object(status, "used"));
  quota.is_counted = get_any(status, "hard").is_object();
  if (has_scope(spec, "Terminating")) quota.terminating = true;
  if (has_scope(spec, "NotTerminating")) quota.terminating = false;
  // Our pods always ask for something, so they are never best-effort; whether others are does not matter.
  if (has_scope(spec, "BestEffort") || has_scope(spec, "CrossNamespacePodAffinity")) quota.is_understood = false;
  for (const json& entry : get_array(get_object(spec, "scopeSelector"), "matchExpressions")) {
    const std::string scope = get_string(entry, "scopeName");
    if (scope == "NotBestEffort") continue;
    if (scope != "PriorityClass") {
      quota.is_understood = false;
      continue;
    }
    json requirement = {
        {"key", "class"}, {"operator", get_string(entry, "operator")}, {"values", get_array(entry, "values")}};
    const LabelSelector selector = read_label_selector({{"matchExpressions", json::array({std::move(requirement)})}});
    quota.priority_class.push_back(selector.expressions.front());
  }
  return quota;
}

}  // namespace det::scheduler
