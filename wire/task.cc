#include "wire/task.h"

#include "wire/enums.h"

namespace det::wire {

Json to_json(const Allocation& a) {
  Json out = {{"allocationId", a.id},
              {"taskId", a.task_id},
              {"state", task_state(a.state)},
              {"isReady", a.is_ready},
              {"slots", a.slots},
              {"startTime", time(a.start_time)},
              {"endTime", time_or_null(a.end_time)}};
  if (!a.exit_reason.empty()) out["exitReason"] = a.exit_reason;
  put_if(out, "statusCode", a.exit_code);
  return out;
}

Json to_json(const Task& t) {
  Json allocations = Json::array();
  for (const Allocation& allocation : t.allocations) allocations.push_back(to_json(allocation));
  Json out = {{"taskId", t.id},
              {"taskType", t.type},
              {"startTime", time(t.start_time)},
              {"endTime", time_or_null(t.end_time)},
              {"allocations", allocations}};
  if (t.state) out["taskState"] = "GENERIC_TASK_STATE_" + std::string(to_string(*t.state));
  if (!t.config.empty()) out["config"] = t.config;
  if (!t.parent.empty()) out["parentId"] = t.parent;
  if (!t.forked_from.empty()) out["forkedFrom"] = t.forked_from;
  put_if(out, "noPause", t.no_pause);
  return out;
}

Json to_json(const AllocationSummary& s) {
  Json resources = Json::array();
  for (const AllocationSummary::Pod& pod : s.pods) {
    Json devices = Json::object();
    if (!pod.agent.empty()) devices[pod.agent] = {{"devices", Json::array()}};
    resources.push_back({{"resourcesId", pod.resources_id},
                         {"resourcesType", "k8s-job"},
                         {"allocationId", s.allocation_id},
                         {"containerId", pod.container},
                         {"agentDevices", devices},
                         {"started", nullptr},
                         {"exited", nullptr}});
  }
  Json ports = Json::array();
  for (const AllocationSummary::Port& port : s.ports) {
    ports.push_back({{"serviceId", port.service_id},
                     {"port", port.port},
                     {"proxyTcp", port.is_tcp},
                     {"unauthenticated", port.is_unauthenticated}});
  }
  return {{"allocationId", s.allocation_id},
          {"taskId", s.task_id},
          {"name", s.name},
          {"registeredTime", time(s.registered)},
          {"slotsNeeded", s.slots},
          {"priority", s.priority},
          {"schedulerType", "priority"},
          {"resourcePool", s.resource_pool},
          {"resources", resources},
          {"proxyPorts", ports}};
}

Json legacy_json(const AllocationSummary& s) {
  Json resources = Json::array();
  for (const AllocationSummary::Pod& pod : s.pods) {
    Json devices = Json::object();
    if (!pod.agent.empty()) devices[pod.agent] = Json::array();
    resources.push_back({{"resources_id", pod.resources_id},
                         {"resources_type", "k8s-job"},
                         {"allocation_id", s.allocation_id},
                         {"agent_devices", devices},
                         {"container_id", pod.container},
                         {"Started", nullptr},
                         {"Exited", nullptr}});
  }
  Json ports = Json::array();
  for (const AllocationSummary::Port& port : s.ports) {
    ports.push_back({{"service_id", port.service_id},
                     {"port", port.port},
                     {"proxy_tcp", port.is_tcp},
                     {"unauthenticated", port.is_unauthenticated}});
  }
  Json out = {{"task_id", s.task_id},
              {"allocation_id", s.allocation_id},
              {"name", s.name},
              {"registered_time", time(s.registered)},
              {"resource_pool", s.resource_pool},
              {"slots_needed", s.slots},
              {"resources", resources},
              {"scheduler_type", "priority"},
              {"priority", s.priority}};
  if (!ports.empty()) out["proxy_ports"] = ports;
  return out;
}

}  // namespace det::wire
