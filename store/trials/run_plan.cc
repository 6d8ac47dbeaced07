#include "store/trials/run_plan.h"

#include "base/json_get.h"

namespace det::store {

using nlohmann::json;

json to_json(const RunPlan& plan) {
  return {{"pods", plan.pods},
          {"slots_per_pod", plan.slots_per_pod},
          {"checkpoint", plan.checkpoint},
          {"steps", plan.steps},
          {"starts_warm", plan.starts_warm},
          {"port_base", plan.port_base},
          {"excluded_nodes", plan.excluded_nodes}};
}

RunPlan read_run_plan(const json& json) {
  RunPlan plan;
  plan.pods = static_cast<int>(json.value("pods", std::int64_t{1}));
  plan.slots_per_pod = static_cast<int>(json.value("slots_per_pod", std::int64_t{1}));
  plan.checkpoint = get_string(json, "checkpoint");
  plan.steps = get_integer(json, "steps");
  plan.starts_warm = json.value("starts_warm", false);
  plan.port_base = static_cast<int>(get_integer(json, "port_base"));
  for (const auto& node : get_array(json, "excluded_nodes")) plan.excluded_nodes.push_back(node.get<std::string>());
  return plan;
}

}  // namespace det::store
