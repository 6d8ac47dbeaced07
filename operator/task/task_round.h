#pragma once

// Everything that one look at a task has found. Plain values.

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/taskconf/task_config.h"
#include "operator/gang/gang_pods.h"
#include "operator/gang/run_decision.h"
#include "operator/refusal.h"
#include "operator/task/task_view.h"
#include "store/tasks/task_rows.h"
#include "store/trials/allocation_store.h"

namespace det::op {

struct TaskRound {
  ObservedTask object;
  store::TaskRow row;
  model::TaskType type = model::TaskType::kCommand;
  model::TaskConfig config;
  std::optional<store::AllocationRow> allocation;  // of the current run
  std::vector<store::ResourceRow> resources;
  RunFacts facts;
  store::RunPlan plan;            // of the current run, or of the next one
  std::optional<GangWait> waits;  // why its gang has no pods
  nlohmann::json pod_spec;        // of the pods that were to be made, for people; null: none were
  // Since when nobody used it that is known; nothing where that is not watched, or not yet.
  std::optional<WallTime> used_at;
  std::optional<WallTime> idle_at;   // when it will have idled too long, if nobody uses it
  std::optional<Refusal> objection;  // to a later edit of the object
  bool refuses_priority = false;     // that of the object, because a policy does: the accepted one stays

  [[nodiscard]] WorkloadKey workload() const { return {.kind = WorkloadKind::kTask, .key = object.key}; }
  [[nodiscard]] k8s::EventSubject subject() const { return subject_of(workload(), object.uid); }
};

}  // namespace det::op
