#pragma once

// What decisions about a task rest on, from its row and its object. Pure.

#include <optional>
#include <string>
#include <vector>

#include "operator/gang/run_decision.h"
#include "operator/task/task_round.h"
#include "operator/task/task_view.h"
#include "pods/pod_builder.h"
#include "store/tasks/task_rows.h"

namespace det::op {

// Without the gang, which the caller observes, and without what idling says.
[[nodiscard]] RunFacts task_facts(const ObservedTask& object, const store::TaskRow& row,
                                  const std::optional<store::AllocationRow>& allocation, model::TaskType type);
// The state of tasks that a decision's means.
[[nodiscard]] model::TaskState task_state(model::TrialState state);

// The first ports of the blocks that open runs have.
[[nodiscard]] std::vector<int> ports_of(const std::vector<store::TaskRun>& tasks);
// What its next run is to be. `number`: of the task, by which its ports are chosen. `taken_ports`: as of port_block().
[[nodiscard]] store::RunPlan plan_task(const pods::PodSettings& settings, const model::ResourcesConfig& resources,
                                       std::int64_t number, const std::vector<int>& taken_ports);

// Whether its type is ended when nobody uses it.
[[nodiscard]] bool is_watched_for_idling(model::TaskType type, const model::TaskConfig& config);
// Why it is ended, where it has idled too long; else empty. `used_at`: when somebody used it last.
[[nodiscard]] std::string idled(std::chrono::seconds timeout, WallTime used_at, WallTime now);

// What was changed about the object since it was accepted, and has no effect; `allowed` fields aside.
[[nodiscard]] std::optional<Refusal> objection_to_edit(const TaskRound& round);
// The description that counts: what the object says, where that was changed since it was accepted, else what was
// accepted.
[[nodiscard]] std::string description_of(const TaskRound& round);
// What the object says, where it was edited since it was accepted or followed last; limited to 1 to 99.
[[nodiscard]] std::optional<int> edited_priority(const TaskRound& round);
// The priority that counts: an edit that no policy refuses, else what was set last, else the configuration's.
[[nodiscard]] int priority_of(const TaskRound& round);

}  // namespace det::op
