#pragma once

// Experiments, trials, workloads and checkpoints of the API as tables: same columns, order and texts as the Python
// command line's. Pure.

#include <map>
#include <string>
#include <vector>

#include "cli/table.h"
#include "cli/text.h"

namespace det::cli {

struct ListColumns {
  bool project = false;
  bool archived = false;
  bool best = false;  // "loss 0.9041 (trial 12)", which the Python command line has not: for people only
};
// Each `experiments` below is a list of v1Experiment, each `trials` of trialv1Trial.
[[nodiscard]] Table experiment_list(const Json& experiments, ListColumns columns);
[[nodiscard]] Table experiment_overview(const Json& experiments, bool best);
// `metric`: of the search, whose best value each trial shows; empty: without that column.
[[nodiscard]] Table trial_list(const Json& trials, const std::string& metric);
[[nodiscard]] Table trial_overview(const Json& trials);
[[nodiscard]] Table checkpoint_list(const Json& checkpoints);
// `det checkpoint describe`: a v1Checkpoint.
[[nodiscard]] Table checkpoint_summary(const Json& checkpoint);

// What a policy would remove, as the preview of one has it: checkpoints with the database's names for their fields.
// Those of one trial stand together, in the order of their reports.
[[nodiscard]] Table removed_checkpoint_list(const Json& checkpoints, const std::string& metric);
// Whether one of these has been validated.
[[nodiscard]] bool is_validated(const Json& removed_checkpoint);

// Workloads of one trial.
struct TrialWorkloads {
  std::int64_t trial = 0;
  Json workloads;  // list of v1WorkloadContainer
};
// One row per trial and number of batches: what was trained, validated and saved there. Metrics only when wanted.
[[nodiscard]] Table workload_steps(const std::vector<TrialWorkloads>& trials, bool with_metrics);

// `det trial describe`: the trial, and each of its workloads.
[[nodiscard]] Table trial_summary(const Json& trial);
[[nodiscard]] Table workload_list(const Json& workloads, bool with_metrics);

}  // namespace det::cli
