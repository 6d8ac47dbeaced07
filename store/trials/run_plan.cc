#include "store/trials/run_plan.h"

#include "base/json_get.h"

namespace det::store {

using nlohmann::json;

json to_json(const RunPlan& plan) {
  json out = {{"pods", plan.pods},
              {"slots_per_pod", plan.slots_per_pod},
              {"checkpoint", plan.checkpoint},
              {"steps", plan.steps},
              {"starts_warm", plan.starts_warm},
              {"port_base", plan.port_base},
              {"excluded_nodes", plan.excluded_nodes}};
  if (!plan.resource_pool.empty()) out["resource_pool"] = plan.resource_pool;
  if (plan.account) {
    out["account"] = {{"uid", plan.account->uid},
                      {"gid", plan.account->gid},
                      {"user", plan.account->user},
                      {"group", plan.account->group}};
  }
  return out;
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
  plan.resource_pool = get_string(json, "resource_pool");
  if (const auto& account = get_any(json, "account"); account.is_object()) {
    plan.account = {.uid = static_cast<int>(get_integer(account, "uid")),
                    .gid = static_cast<int>(get_integer(account, "gid")),
                    .user = get_string(account, "user"),
                    .group = get_string(account, "group")};
  }
  return plan;
}

}  // namespace det::store
