#pragma once

// How the pods of a gang come to run together: section `scheduler` of master.yaml. Pure.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"

namespace det::model {

enum class GangBackendKind : std::uint8_t {
  kOwn,            // we decide for the whole gang and pin its pods
  kNative,         // scheduling.k8s.io PodGroup, by kube-scheduler with its gang gates on
  kCoscheduling,   // scheduling.x-k8s.io PodGroup, by the coscheduling plugin
  kKubeScheduler,  // every pod by itself: gangs may deadlock
  kAuto,           // native where the cluster has it, else coscheduling where its CRD is, else own
};

struct SchedulerConfig {
  GangBackendKind type = GangBackendKind::kOwn;
  std::chrono::seconds bind_timeout{60};  // own: a gang that is not bound by then is withdrawn whole
  bool scale_up_by_pending_pods = false;  // own: an autoscaler is to see the pods of the first gang that waits
  std::chrono::seconds scale_up_timeout{900};
  std::vector<std::string> topology;                             // node labels, narrowest first; empty: rack, then zone
  std::string coscheduler_name = "scheduler-plugins-scheduler";  // coscheduling: schedulerName of the pods
  bool was_mapped = false;  // resource_manager.default_scheduler said "coscheduler", which means `own` here
};

// Reads master.yaml's `scheduler` and resource_manager.default_scheduler.
[[nodiscard]] SchedulerConfig read_scheduler_config(JsonReader& root);

// "own", "native", "coscheduling", "kube-scheduler", "auto".
[[nodiscard]] std::string_view to_string(GangBackendKind kind);

}  // namespace det::model
