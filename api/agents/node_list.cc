#include "api/agents/node_list.h"

#include "scheduler/read_objects.h"

namespace det::api {
namespace {

// Labels that only pods of tasks carry: ours, and upstream's.
bool is_task(const nlohmann::json& pod) {
  const nlohmann::json::json_pointer labels("/metadata/labels");
  if (!pod.contains(labels)) return false;
  return pod[labels].contains("determined.ai/task_type") || pod[labels].contains("determined.ai/experiment_id");
}

std::vector<PodOnNode> holders(const std::vector<nlohmann::json>& pods) {
  std::vector<PodOnNode> list;
  for (const nlohmann::json& pod : pods) {
    const std::string node = scheduler::node_of(pod);
    if (node.empty() || scheduler::is_over(pod)) continue;
    list.push_back({.name = pod["metadata"].value("name", ""),
                    .node = node,
                    .requests = scheduler::read_shape(pod).requests,
                    .is_ours = is_task(pod)});
  }
  return list;
}

}  // namespace

int slots_in(const std::map<std::string, std::int64_t>& resources, const model::SlotRule& rule) {
  const auto milli = [&](const char* name) {
    const auto found = resources.find(name);
    return found == resources.end() ? std::int64_t{0} : found->second;
  };
  switch (rule.type) {
    case model::SlotType::kCuda:
      return static_cast<int>(milli("nvidia.com/gpu") / 1000);
    case model::SlotType::kRocm:
      return static_cast<int>(milli("amd.com/gpu") / 1000);
    case model::SlotType::kCpu:
      return static_cast<int>(static_cast<double>(milli("cpu")) / (1000 * rule.cpu_per_slot));
  }
  return 0;
}

Task<Result<ClusterNodes>> NodeList::read(Kept& kept, Duration age) {
  const SteadyTime begun = clock_.steady_now();
  if (kept.view && begun - kept.at < age) co_return *kept.view;
  auto view = co_await ask();
  DET_CO_TRY(view);
  const SteadyTime now = clock_.steady_now();
  kept = {.view = *view, .at = now, .took = now - begun};
  co_return view;
}

Task<Result<ClusterNodes>> NodeList::ask() {
  ClusterNodes view;
  auto nodes = co_await kubernetes_.list(k8s::nodes(), {});
  auto pods = co_await kubernetes_.list(k8s::pods(), {});
  for (const auto* list : {&nodes, &pods}) {
    if (*list) continue;
    if (list->error().code != ErrorCode::kPermissionDenied) co_return std::unexpected(list->error());
    view.hidden =
        "the operator may not list nodes and pods of the whole cluster: only nodes with running tasks are shown";
  }
  if (view.hidden.empty()) {
    view.pods = holders(pods->items);
    view.nodes = std::move(nodes->items);
  }
  co_return view;
}

}  // namespace det::api
