#pragma once

// A resource pool: nodes that experiments choose by name, how many slots one pod may have there, what a slot is, and
// defaults of its experiments. From resource_pools of master.yaml or from ResourcePool objects, which mean the same.
// Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"

namespace det::model {

// What one slot is, and so which resource a pod asks for.
enum class SlotType : std::uint8_t { kCuda, kRocm, kCpu };
[[nodiscard]] std::string_view to_string(SlotType type);  // "cuda", "rocm", "cpu"

// What absent members leave open is as in the cluster.
struct ResourcePool {
  std::string name;
  std::string description;
  nlohmann::json node_selector = nlohmann::json::object();  // labels that its nodes have, and its pods ask for
  nlohmann::json tolerations = nlohmann::json::array();     // of its pods, beside their own
  std::optional<int> max_slots_per_pod;
  std::optional<SlotType> slot_type;
  std::optional<double> cpu_per_slot;
  nlohmann::json task_container_defaults = nlohmann::json::object();
  nlohmann::json pod_policy = nlohmann::json::object();  // what it states of it (model/pod/pod_policy.h)

  // What is wrong with the object that it is from, one error a line; then no experiment may begin in it, and those that
  // run keep to its nodes.
  std::string objection;
  std::vector<std::string> warnings;  // what of the object has no effect, one sentence each

  bool operator==(const ResourcePool&) const = default;
};

// `slot_type` and `slot_resource_requests.cpu` of `reader`: of the resource manager or of one pool.
void read_slot_rule(JsonReader& reader, std::optional<SlotType>& type, std::optional<double>& cpu_per_slot);

// One entry of master.yaml's resource_pools. Its task_container_defaults are checked by check_cluster_defaults.
[[nodiscard]] ResourcePool read_resource_pool(JsonReader& reader);

// A ResourcePool object; what is wrong with it, by paths from "spec", is its objection.
[[nodiscard]] ResourcePool read_resource_pool_object(const nlohmann::json& object);

}  // namespace det::model
