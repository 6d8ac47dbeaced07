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
  // A trial's pod stays one, whatever label somebody adds to it.
  std::string trial = get_string(labels, pods::kLabelTrial);
  if (!trial.empty()) return workload_of_trial({.ns = ns, .name = std::move(trial)});
  std::string task = get_string(labels, pods::kLabelTask);
  const WorkloadKind kind = task.empty() ? WorkloadKind::kTrial : WorkloadKind::kTask;
  return {.kind = kind, .key = {.ns = ns, .name = std::move(task)}};
}

}  // namespace det::op
