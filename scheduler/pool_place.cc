#include "scheduler/pool_place.h"

#include "base/json_get.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <nlohmann/json.hpp>

namespace det::scheduler {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> kPassingTaints = {"node.kubernetes.io/", "nvidia.com/gpu", "amd.com/gpu",
                                                            "DeletionCandidateOfClusterAutoscaler"};

json spec_of(const json& task_container_defaults) {
  for (const char* key : {"gpu_pod_spec", "cpu_pod_spec"}) {
    const auto found = task_container_defaults.find(key);
    if (found != task_container_defaults.end() && found->is_object()) return get_object(*found, "spec");
  }
  return json::object();
}

void add_tolerations(const json& spec, std::vector<Toleration>& all) {
  std::ranges::copy(read_tolerations(get_array(spec, "tolerations")), std::back_inserter(all));
}

}  // namespace

PoolPlace read_pool_place(const std::string& pool, const model::MasterConfig& config) {
  PoolPlace place;
  if (config.task_container_defaults.is_object())
    add_tolerations(spec_of(config.task_container_defaults), place.tolerations);
  const model::ResourcePool* own = find_pool(pool, config);
  if (own != nullptr) {
    const json spec = spec_of(own->task_container_defaults);
    place.node_selector = read_labels(get_object(spec, "nodeSelector"));
    for (const auto& [label, value] : read_labels(own->node_selector)) place.node_selector[label] = value;
    const json& required =
        get_any(get_any(get_any(spec, "affinity"), "nodeAffinity"), "requiredDuringSchedulingIgnoredDuringExecution");
    if (required.is_object()) place.affinity = read_terms(required);
    add_tolerations(spec, place.tolerations);
    std::ranges::copy(read_tolerations(own->tolerations), std::back_inserter(place.tolerations));
  }
  place.takes_all = pool_names(config).size() == 1 && !place.chooses_nodes();
  return place;
}

bool is_in_pool(const Node& node, const PoolPlace& place) {
  if (place.takes_all) return true;
  for (const auto& [label, value] : place.node_selector) {
    const auto found = node.labels.find(label);
    if (found == node.labels.end() || found->second != value) return false;
  }
  if (place.affinity && !matches(*place.affinity, node.labels, node.name)) return false;
  return std::ranges::all_of(node.taints, [&](const Taint& taint) {
    const auto passes = [&](std::string_view prefix) { return taint.key.starts_with(prefix); };
    return std::ranges::any_of(kPassingTaints, passes) || tolerates(place.tolerations, taint);
  });
}

}  // namespace det::scheduler
