#include "api/agents/agent_views.h"

#include <algorithm>
#include <map>

#include "api/agents/node_marks.h"
#include "scheduler/disabled_slots.h"
#include "scheduler/pool_place.h"
#include "scheduler/read_objects.h"
#include "wire/cluster.h"

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

// Those that are disabled count, too.
std::size_t slot_count(const scheduler::Node& node, const scheduler::Amounts& withheld, const model::SlotRule& rule) {
  const auto label = node.labels.find(kCpuSlotsLabel);
  if (rule.type == model::SlotType::kCpu && label != node.labels.end()) {
    const int slots = std::atoi(label->second.c_str());
    if (slots > 0) return static_cast<std::size_t>(slots);
  }
  scheduler::Amounts all = node.allocatable;
  for (const auto& [resource, amount] : withheld) {
    if (all.contains(resource)) all[resource] += amount;
  }
  return static_cast<std::size_t>(slots_in(all, rule));
}

struct Pool {
  std::string name;
  scheduler::PoolPlace place;
};

std::vector<Pool> read_pools(const model::MasterConfig& master) {
  std::vector<Pool> pools;
  for (std::string& name : pool_names(master)) {
    pools.push_back({.name = name, .place = scheduler::read_pool_place(name, master)});
  }
  return pools;
}

std::vector<std::string> pools_with(const scheduler::Node& node, const std::vector<Pool>& pools) {
  std::vector<std::string> names;
  for (const Pool& pool : pools) {
    if (is_in_pool(node, pool.place)) names.push_back(pool.name);
  }
  return names;
}

// What a slot is on a node of these pools: of several, one that chose the node says, before those that take any.
model::SlotRule rule_of(const std::vector<std::string>& names, const std::vector<Pool>& pools,
                        const model::MasterConfig& master) {
  for (const Pool& pool : pools) {
    if (!pool.place.chooses_nodes()) continue;
    if (std::ranges::find(names, pool.name) != names.end()) return slot_rule(pool.name, master);
  }
  const bool is_default = names.empty() || std::ranges::find(names, master.default_compute_pool) != names.end();
  return slot_rule(is_default ? master.default_compute_pool : names.front(), master);
}

struct Place {
  wire::Agent agent;
  model::SlotRule rule;
};

Place place_of(const nlohmann::json& object, const std::vector<Pool>& pools, const model::MasterConfig& master) {
  const scheduler::Node node = scheduler::read_node(object);
  Place place;
  wire::Agent& agent = place.agent;
  agent.id = node.name;
  agent.version = wire::kDeterminedVersion;  // clients compare it with the master's
  agent.registered = parse_rfc3339(text_at(object, "/metadata/creationTimestamp"));
  agent.addresses = addresses_of(object);
  const DisabledAs disabled = disabled_as(object);
  agent.is_enabled = node.ready && !node.unschedulable && disabled == DisabledAs::kNot;
  // Who cordons by kubectl leaves what runs alone, as --drain does.
  agent.is_draining = disabled == DisabledAs::kDraining || (disabled == DisabledAs::kNot && node.unschedulable);
  agent.pools = pools_with(node, pools);
  place.rule = rule_of(agent.pools, pools, master);
  const auto disabled_slots = scheduler::read_disabled_slots(object);
  agent.slots.resize(slot_count(node, scheduler::withheld_by(disabled_slots), place.rule));
  for (std::size_t i = 0; i < agent.slots.size(); ++i) {
    const auto found = disabled_slots.find(static_cast<int>(i));
    if (found != disabled_slots.end()) {
      agent.slots[i] = {.container = {}, .is_disabled = true, .is_draining = found->second.drains};
    }
  }
  const auto product = node.labels.find("nvidia.com/gpu.product");
  if (product != node.labels.end()) agent.device_brand = product->second;
  return place;
}

// Pods take the first free slots, disabled ones only when there are no others: a scheduler that knows of a disabled
// slot leaves as many free. Which device a pod really got, only its node knows. CPU of pods that are not tasks fills no
// slots: daemons ask for some on every node.
void hold(wire::Agent& agent, const std::string& pod, int slots) {
  for (const bool is_disabled : {false, true}) {
    for (wire::Slot& slot : agent.slots) {
      if (slots == 0) return;
      if (slot.is_disabled != is_disabled || !slot.container.empty()) continue;
      slot.container = pod;
      --slots;
    }
  }
}

void add_pod(Place& place, const PodOnNode& pod) {
  if (pod.is_ours) place.agent.containers.push_back(pod.name);
  if (!pod.is_ours && place.rule.type == model::SlotType::kCpu) return;
  hold(place.agent, pod.name, slots_in(pod.requests, place.rule));
}

// What the database knows of one node.
void add_allocation(Place& place, const store::OpenAllocation& open, const store::ResourceRow& pod,
                    const std::vector<Pool>& pools, const model::MasterConfig& master) {
  wire::Agent& agent = place.agent;
  agent.id = pod.node;
  agent.containers.push_back(pod.pod_name);
  agent.slots.resize(agent.slots.size() + static_cast<std::size_t>(pod.slots));
  hold(agent, pod.pod_name, pod.slots);
  const std::string pool = pool_or_default(open.resource_pool, master);
  if (std::ranges::find(agent.pools, pool) == agent.pools.end()) agent.pools.push_back(pool);
  place.rule = rule_of(agent.pools, pools, master);
}

}  // namespace

std::vector<wire::Agent> agents_of(const ClusterNodes& cluster, const std::vector<store::OpenAllocation>& open,
                                   const model::MasterConfig& master) {
  const std::vector<Pool> pools = read_pools(master);
  std::map<std::string, Place> places;
  for (const nlohmann::json& node : cluster.nodes) {
    Place place = place_of(node, pools, master);
    const std::string name = place.agent.id;
    places[name] = std::move(place);
  }
  for (const PodOnNode& pod : cluster.pods) {
    // A pod whose node is gone.
    const auto [place, is_new] = places.try_emplace(pod.node);
    place->second.agent.id = pod.node;
    add_pod(place->second, pod);
  }
  for (const auto& allocation : open) {
    if (cluster.hidden.empty()) break;
    for (const auto& pod : allocation.resources) {
      if (!pod.node.empty()) add_allocation(places[pod.node], allocation, pod, pools, master);
    }
  }
  std::vector<wire::Agent> list;
  for (auto& [name, place] : places) {
    wire::Agent& agent = place.agent;
    agent.device_type = device_type(place.rule.type);
    list.push_back(std::move(agent));
  }
  return list;
}

scheduler::DisabledSlot slot_of(const nlohmann::json& node, const model::MasterConfig& master) {
  const model::SlotRule rule = place_of(node, read_pools(master), master).rule;
  switch (rule.type) {
    case model::SlotType::kCuda:
      return {.resource = "nvidia.com/gpu", .milli = 1000};
    case model::SlotType::kRocm:
      return {.resource = "amd.com/gpu", .milli = 1000};
    case model::SlotType::kCpu:
      return {.resource = "cpu", .milli = static_cast<std::int64_t>(rule.cpu_per_slot * 1000)};
  }
  return {};
}

std::vector<wire::ResourcePool> pools_of(const std::vector<wire::Agent>& agents,
                                         const std::vector<store::JobRow>& queue, const model::MasterConfig& master) {
  std::vector<wire::ResourcePool> pools;
  for (const std::string& name : pool_names(master)) {
    const model::SlotRule rule = slot_rule(name, master);
    const model::ResourcePool* own = find_pool(name, master);
    wire::ResourcePool pool{.name = name,
                            .description = own == nullptr ? "" : own->description,
                            .is_default_compute = name == master.default_compute_pool,
                            .is_default_aux = name == master.default_aux_pool,
                            .is_ordered_here = master.scheduler.type == model::GangBackendKind::kOwn,
                            .device_type = device_type(rule.type),
                            .slots_per_agent = rule.max_per_pod,
                            .agents = 0,
                            .slots = 0,
                            .slots_used = 0,
                            .stats = {}};
    for (const wire::Agent& agent : agents) {
      if (std::ranges::find(agent.pools, name) == agent.pools.end()) continue;
      ++pool.agents;
      pool.slots += static_cast<int>(agent.slots.size());
    }
    for (const store::JobRow& job : queue) {
      if (pool_or_default(job.resource_pool, master) != name) continue;
      pool.slots_used += job.allocated_slots;
      ++(job.is_scheduled ? pool.stats.scheduled : pool.stats.queued);
    }
    pools.push_back(std::move(pool));
  }
  return pools;
}

std::string pool_or_default(const std::string& pool, const model::MasterConfig& master) {
  return pool.empty() ? master.default_compute_pool : pool;
}

}  // namespace det::api
