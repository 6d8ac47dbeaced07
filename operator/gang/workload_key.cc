#include "operator/gang/workload_key.h"

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "pods/names.h"

namespace det::op {

std::string to_string(const WorkloadKey& workload) {
  return (workload.kind == WorkloadKind::kTask ? "task/" : "trial/") + k8s::to_string(workload.key);
}

k8s::Resource resource_of(WorkloadKind kind) {
  return kind == WorkloadKind::kTask ? k8s::tasks() : k8s::trials();
}

std::string label_of(WorkloadKind kind) {
  return std::string(kind == WorkloadKind::kTask ? pods::kLabelTask : pods::kLabelTrial);
}

WorkloadKey workload_of(const std::string& ns, const nlohmann::json& labels) {
  std::string task = get_string(labels, pods::kLabelTask);
  if (!task.empty()) return {.kind = WorkloadKind::kTask, .key = {.ns = ns, .name = std::move(task)}};
  return {.kind = WorkloadKind::kTrial, .key = {.ns = ns, .name = get_string(labels, pods::kLabelTrial)}};
}

}  // namespace det::op
