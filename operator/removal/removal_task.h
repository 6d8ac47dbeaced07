#pragma once

// The task that carries a removal out: its configuration, its row and its object. Pure.

#include <chrono>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "k8sclient/resource.h"
#include "pods/pod_builder.h"
#include "pods/standalone_task.h"
#include "store/experiments/experiment_rows.h"
#include "store/removals/removal_rows.h"
#include "store/tasks/task_rows.h"

namespace det::op {

// What runs is what the experiment's own pods were: image, variables and pod_spec of its configuration, or the
// cluster's task_container_defaults.checkpoint_gc_pod_spec; without slots, in the experiment's pool while there is such
// a pool. `attempt` counts from 1; the same attempt has the same object's name. Id and nonce are made now.
// `ns`: the experiment's, or another one where that is gone. There it gets nothing that its pod_spec may name (Secrets,
// claims, accounts: others' there) nor its image, which may need them, but its variables, and for a `directory` its
// bind mounts. kFailedPrecondition where nothing reaches the files.
[[nodiscard]] Result<store::NewTask> removal_task(const pods::PodSettings& settings, const store::Removal& removal,
                                                  const store::ExperimentRow& experiment, model::WorkspaceId workspace,
                                                  int attempt, const std::string& ns);

// `owner_uid`: of the Experiment object, where it is still there; else empty, and nobody owns the task.
[[nodiscard]] nlohmann::json removal_object(const std::string& controller_class, const store::TaskRow& task,
                                            const store::ExperimentRow& experiment, const std::string& owner_uid);

// What its pod needs.
[[nodiscard]] Result<pods::RemovalSource> removal_source(const store::Removal& removal,
                                                         const store::ExperimentRow& experiment);

// How long to wait after so many failures; nothing: it is given up.
[[nodiscard]] std::optional<std::chrono::seconds> removal_back_off(int failures);

}  // namespace det::op
