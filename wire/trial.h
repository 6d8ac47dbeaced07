#pragma once

// trialv1Trial and the workloads of a trial: what it measured and saved, in order of steps. Pure.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/wall_time.h"
#include "model/ids.h"
#include "model/states.h"
#include "wire/forms.h"

namespace det::wire {

struct MetricsWorkload {
  std::int64_t total_batches = 0;
  std::optional<WallTime> end_time;
  Json metrics;        // name -> value
  Json batch_metrics;  // list or null
};
[[nodiscard]] Json to_json(const MetricsWorkload& workload);

struct CheckpointWorkload {
  std::string uuid;
  model::CheckpointState state = model::CheckpointState::kCompleted;
  std::int64_t total_batches = 0;
  std::optional<WallTime> end_time;
  Json resources;  // path -> bytes
  Json metadata;
};
[[nodiscard]] Json to_json(const CheckpointWorkload& workload);

// Exactly one is set.
struct WorkloadContainer {
  std::optional<MetricsWorkload> training;
  std::optional<MetricsWorkload> validation;
  std::optional<CheckpointWorkload> checkpoint;
};
[[nodiscard]] Json to_json(const WorkloadContainer& container);

struct MetricNumbers {
  std::int64_t count = 0;
  double sum = 0;
  double min = 0;
  double max = 0;
  double last = 0;
};
// Group -> metric -> numbers.
using Summaries = std::map<std::string, std::map<std::string, MetricNumbers>>;
// Null when there are none. The groups training and validation have the names people's tools know.
[[nodiscard]] Json summary_metrics(const Summaries& summaries);

struct Trial {
  model::TrialId id;
  model::ExperimentId experiment;
  model::TrialState state = model::TrialState::kActive;
  std::optional<model::AllocationState> allocation_state;
  WallTime start_time;
  std::optional<WallTime> end_time;
  int restarts = 0;
  Json hparams;
  std::int64_t total_batches = 0;
  std::optional<MetricsWorkload> best_validation;
  std::optional<MetricsWorkload> latest_validation;
  std::optional<CheckpointWorkload> best_checkpoint;
  std::string runner_state;
  double wall_clock_seconds = 0;
  std::string warm_start_checkpoint;  // uuid; empty: none
  std::string task_id;
  std::int64_t checkpoint_count = 0;
  std::int64_t checkpoint_bytes = 0;
  Json summary;  // summary_metrics(), or null
  std::optional<double> searcher_metric;
  std::optional<int> log_retention_days;
  std::string log_policy_matched;  // name of the policy that matched last; empty: none
};
[[nodiscard]] Json to_json(const Trial& trial);

}  // namespace det::wire
