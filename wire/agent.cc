#include "wire/agent.h"

namespace det::wire {
namespace {

// "003": clients keep the order of the keys.
std::string slot_key(std::size_t index) {
  const std::string digits = std::to_string(index);
  return digits.size() < 3 ? std::string(3 - digits.size(), '0') + digits : digits;
}

Json container_json(const std::string& id) {
  return {
      {"id", id}, {"parent", ""}, {"state", "STATE_RUNNING"}, {"devices", Json::array()}, {"permissionDenied", false}};
}

bool is_enabled(const Agent& agent, const Slot& slot) {
  return agent.is_enabled && !slot.is_disabled;
}

bool is_draining(const Agent& agent, const Slot& slot) {
  return slot.is_disabled ? slot.is_draining : agent.is_draining;
}

Json device_stats(const Agent& agent) {
  int held = 0;
  int disabled = 0;
  int draining = 0;
  for (const Slot& slot : agent.slots) {
    held += slot.container.empty() ? 0 : 1;
    disabled += is_enabled(agent, slot) ? 0 : 1;
    draining += is_draining(agent, slot) ? 1 : 0;
  }
  Json states = Json::object();
  if (held > 0) states["STATE_RUNNING"] = held;
  return {{"states", states}, {"total", agent.slots.size()}, {"disabled", disabled}, {"draining", draining}};
}

}  // namespace

Json slot_json(const Agent& agent, std::size_t slot) {
  const Slot& one = agent.slots[slot];
  const Json device = {{"id", slot}, {"brand", agent.device_brand}, {"uuid", ""}, {"type", agent.device_type}};
  return {{"id", std::to_string(slot)},
          {"device", device},
          {"enabled", is_enabled(agent, one)},
          {"draining", is_draining(agent, one)},
          {"container", one.container.empty() ? Json() : container_json(one.container)}};
}

Json to_json(const Agent& agent) {
  Json slots = Json::object();
  for (std::size_t i = 0; i < agent.slots.size(); ++i) slots[slot_key(i)] = slot_json(agent, i);
  Json containers = Json::object();
  for (const std::string& container : agent.containers) containers[container] = container_json(container);
  const Json stats = device_stats(agent);
  return {{"id", agent.id},
          {"version", agent.version},
          {"registeredTime", time_or_null(agent.registered)},
          {"addresses", agent.addresses},
          {"resourcePools", agent.pools},
          {"enabled", agent.is_enabled},
          {"draining", agent.is_draining},
          {"slots", slots},
          {"containers", containers},
          {"slotStats",
           {{"typeStats", agent.slots.empty() ? Json::object() : Json{{agent.device_type, stats}}},
            {"brandStats", agent.device_brand.empty() ? Json::object() : Json{{agent.device_brand, stats}}}}}};
}

// What only clouds and other resource managers know is there, because clients want every key, and empty.
Json to_json(const ResourcePool& pool) {
  return {{"name", pool.name},
          {"description", pool.description},
          {"type", "RESOURCE_POOL_TYPE_K8S"},
          {"numAgents", pool.agents},
          {"slotsAvailable", pool.slots},
          {"slotsUsed", pool.slots_used},
          {"slotType", pool.device_type},
          {"slotsPerAgent", pool.slots_per_agent},
          {"auxContainerCapacity", 0},
          {"auxContainersRunning", 0},
          {"auxContainerCapacityPerAgent", 0},
          {"defaultComputePool", pool.is_default_compute},
          {"defaultAuxPool", pool.is_default_aux},
          {"preemptible", false},
          {"minAgents", 0},
          {"maxAgents", 0},
          {"maxIdleAgentPeriod", 0},
          {"maxAgentStartingPeriod", 0},
          {"schedulerType", pool.is_ordered_here ? "SCHEDULER_TYPE_PRIORITY" : "SCHEDULER_TYPE_KUBERNETES"},
          {"schedulerFittingPolicy", "FITTING_POLICY_KUBERNETES"},
          {"location", "n/a"},
          {"instanceType", "n/a"},
          {"imageId", ""},
          {"startupScript", ""},
          {"containerStartupScript", ""},
          {"agentDockerNetwork", ""},
          {"agentDockerRuntime", ""},
          {"agentDockerImage", ""},
          {"agentFluentImage", ""},
          {"masterUrl", ""},
          {"masterCertName", ""},
          {"clusterName", ""},
          {"resourceManagerName", ""},  // as 0.33 calls it, and insists on it
          {"accelerator", ""},
          {"resourceManagerMetadata", Json::object()},
          {"details", {{"aws", nullptr}, {"gcp", nullptr}, {"priorityScheduler", nullptr}}},
          {"stats", to_json(pool.stats)}};
}

}  // namespace det::wire
