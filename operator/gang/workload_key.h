#pragma once

// Which object the pods of a gang belong to: a Trial or a Task. Trials and tasks of one name are two workloads. Plain
// values.

#include <cstdint>
#include <string>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "k8sclient/resource.h"

namespace det::op {

enum class WorkloadKind : std::uint8_t { kTrial, kTask };

struct WorkloadKey {
  WorkloadKind kind = WorkloadKind::kTrial;
  k8s::ObjectKey key;  // no name: of nobody's

  bool operator==(const WorkloadKey&) const = default;
};

[[nodiscard]] std::string to_string(const WorkloadKey& workload);  // "trial/ns/name", "task/ns/name"
[[nodiscard]] k8s::Resource resource_of(WorkloadKind kind);
// The label by which its pods name it.
[[nodiscard]] std::string label_of(WorkloadKind kind);
[[nodiscard]] inline WorkloadKey workload_of_trial(k8s::ObjectKey key) {
  return {.kind = WorkloadKind::kTrial, .key = std::move(key)};
}
// Whom an object with these labels belongs to.
[[nodiscard]] WorkloadKey workload_of(const std::string& ns, const nlohmann::json& labels);

}  // namespace det::op
