#include "api/agent_views.h"

#include <algorithm>
#include <map>
#include <set>

#include "scheduler/read_objects.h"

namespace det::api {
namespace {

// The node agent's own count, where CPUs stand for slots and one machine may offer fewer of them than it has.
const char* const kCpuSlotsLabel = "det-operator.dev/cpu-slots";

const char* device_type(model::SlotType type) {
  switch (type) {
    case model::SlotType::kCuda:
      return "TYPE_CUDA";
    case model::SlotType::kRocm:
      return "TYPE_ROCM";
    case model::SlotType::kCpu:
      return "TYPE_CPU";
  }
  return "TYPE_UNSPECIFIED";
}

std::string text_at(const nlohmann::json& object, const char* pointer) {
  const nlohmann::json::json_pointer place(pointer);
  return object.contains(place) && object[place].is_string() ? object[place].get<std::string>() : std::string();
}

std::vector<std::string> addresses_of(const nlohmann::json& node) {
  std::vector<std::string> list;
  const nlohmann::json::json_pointer place("/status/addresses");
  if (!node.contains(place)) return list;
  for (const auto& address : node[place]) {
    if (address.value("type", "") == "InternalIP") list.push_back(address.value("address", ""));
  }
  return list;
}

std::size_t slot_count(const scheduler::Node& node, const model::MasterConfig& master) {
  const auto label = node.labels.find(kCpuSlotsLabel);
  if (master.slot_type == model::SlotType::kCpu && label != node.labels.end()) {
    const int slots = std::atoi(label->second.c_str());
    if (slots > 0) return static_cast<std::size_t>(slots);
  }
  return static_cast<std::size_t>(slots_in(node.allocatable, master));
}

wire::Agent agent_of(const nlohmann::json& object, const model::MasterConfig& master) {
  const scheduler::Node node = scheduler::read_node(object);
  wire::Agent agent;
  agent.id = node.name;
  agent.version = text_at(object, "/status/nodeInfo/kubeletVersion");
  agent.registered = parse_rfc3339(text_at(object, "/metadata/creationTimestamp"));
  agent.addresses = addresses_of(object);
  agent.is_enabled = node.ready && !node.unschedulable;
  agent.slots.resize(slot_count(node, master));
  const auto product = node.labels.find("nvidia.com/gpu.product");
  if (product != node.labels.end()) agent.device_brand = product->second;
  return agent;
}

// Pods take the first free slots. Which device a pod really got, only its node knows. CPU of pods that are not tasks
// fills no slots: daemons ask for some on every node.
void place(wire::Agent& agent, const PodOnNode& pod, const model::MasterConfig& master) {
  if (pod.is_ours) agent.containers.push_back(pod.name);
  if (!pod.is_ours && master.slot_type == model::SlotType::kCpu) return;
  int left = pod.slots;
  for (wire::Slot& slot : agent.slots) {
    if (left > 0 && slot.container.empty()) {
      slot.container = pod.name;
      --left;
    }
  }
}

std::vector<PodOnNode> pods_of(const std::vector<store::OpenAllocation>& open) {
  std::vector<PodOnNode> pods;
  for (const auto& allocation : open) {
    for (const auto& resource : allocation.resources) {
      if (resource.node.empty()) continue;
      pods.push_back({.name = resource.pod_name, .node = resource.node, .slots = resource.slots, .is_ours = true});
    }
  }
  return pods;
}

}  // namespace

std::vector<wire::Agent> agents_of(const ClusterView& cluster, const std::vector<store::OpenAllocation>& open,
                                   const model::MasterConfig& master) {
  std::map<std::string, wire::Agent> agents;
  for (const nlohmann::json& node : cluster.nodes) {
    wire::Agent agent = agent_of(node, master);
    agents[agent.id] = std::move(agent);
  }
  const bool is_hidden = !cluster.hidden.empty();
  for (const PodOnNode& pod : is_hidden ? pods_of(open) : cluster.pods) {
    const auto [agent, is_new] = agents.try_emplace(pod.node);
    agent->second.id = pod.node;
    if (is_hidden) agent->second.slots.resize(agent->second.slots.size() + static_cast<std::size_t>(pod.slots));
    place(agent->second, pod, master);
  }
  std::vector<wire::Agent> list;
  for (auto& [name, agent] : agents) {
    agent.pools = pool_names(master);
    agent.device_type = device_type(master.slot_type);
    agent.is_draining = !agent.is_enabled && !agent.containers.empty();
    list.push_back(std::move(agent));
  }
  return list;
}

std::vector<wire::ResourcePool> pools_of(const std::vector<wire::Agent>& agents,
                                         const std::vector<store::JobRow>& queue, const model::MasterConfig& master) {
  int slots = 0;
  for (const wire::Agent& agent : agents) slots += static_cast<int>(agent.slots.size());
  std::vector<wire::ResourcePool> pools;
  for (const std::string& name : pool_names(master)) {
    wire::ResourcePool pool{.name = name,
                            .is_default_compute = name == master.default_compute_pool,
                            .is_default_aux = name == master.default_aux_pool,
                            .device_type = device_type(master.slot_type),
                            .slots_per_agent = master.max_slots_per_pod,
                            .agents = static_cast<int>(agents.size()),
                            .slots = slots,
                            .slots_used = 0,
                            .stats = {}};
    for (const store::JobRow& job : queue) {
      if (pool_or_default(job.resource_pool, master) != name) continue;
      pool.slots_used += job.allocated_slots;
      ++(job.is_scheduled ? pool.stats.scheduled : pool.stats.queued);
    }
    pools.push_back(std::move(pool));
  }
  return pools;
}

std::vector<std::string> pool_names(const model::MasterConfig& master) {
  std::set<std::string> names = {master.default_compute_pool, master.default_aux_pool};
  for (const auto& [name, defaults] : master.pool_defaults.items()) names.insert(name);
  return {names.begin(), names.end()};
}

std::string pool_or_default(const std::string& pool, const model::MasterConfig& master) {
  return pool.empty() ? master.default_compute_pool : pool;
}

}  // namespace det::api
