#include "cli/allocation_table.h"

#include <algorithm>
#include <utility>

namespace det::cli {
namespace {

Json agents_cell(const Json& summary) {
  if (!field(summary, "resources").is_array()) return "unassigned";
  const std::vector<std::string> agents = agents_of(summary);
  if (agents.size() == 1) return agents.front();
  std::string text;
  for (const auto& agent : agents) text += (text.empty() ? "'" : ", '") + agent + "'";
  return "[" + text + "]";
}

std::string ports_of(const Json& summary) {
  std::vector<std::int64_t> ports;
  const Json given = field(summary, "proxyPorts");
  for (const Json& one : given) {
    if (field(one, "port").is_number()) ports.push_back(integer_field(one, "port"));
  }
  std::ranges::sort(ports);
  std::string text;
  for (const std::int64_t port : ports) text += (text.empty() ? "" : ",") + std::to_string(port);
  return text;
}

}  // namespace

std::vector<std::string> agents_of(const Json& summary) {
  std::vector<std::string> agents;
  const Json resources = field(summary, "resources");
  if (!resources.is_array()) return agents;
  for (const Json& one : resources) {
    const Json devices = field(one, "agentDevices");
    for (const auto& [agent, ignored] : devices.items()) agents.push_back(agent);
  }
  return agents;
}

Table allocation_table(const Json& summaries) {
  std::vector<Json> sorted;
  for (const auto& [id, summary] : summaries.items()) sorted.push_back(summary);
  std::ranges::sort(sorted, {}, [](const Json& summary) {
    return std::pair(text_field(summary, "registeredTime"), text_field(summary, "allocationId"));
  });
  Table table{.headers = {"Task ID", "Allocation ID", "Name", "Slots Needed", "Registered Time", "Agent", "Priority",
                          "Resource Pool", "Ports"},
              .rows = {}};
  for (const Json& one : sorted) {
    const Json priority = field(one, "schedulerType") == "priority" ? field(one, "priority") : Json("N/A");
    table.rows.push_back({field(one, "taskId"), field(one, "allocationId"), field(one, "name"),
                          field(one, "slotsNeeded"), time_cell(field(one, "registeredTime")), agents_cell(one),
                          priority, field(one, "resourcePool"), ports_of(one)});
  }
  return table;
}

}  // namespace det::cli
