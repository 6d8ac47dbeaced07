#pragma once

// v1Checkpoint. Pure.

#include <optional>
#include <string>

#include "base/wall_time.h"
#include "model/ids.h"
#include "model/states.h"
#include "wire/forms.h"

namespace det::wire {

struct Checkpoint {
  std::string uuid;
  std::string task_id;
  std::string allocation_id;
  WallTime report_time;
  model::CheckpointState state = model::CheckpointState::kCompleted;
  Json metadata;   // object
  Json resources;  // path -> bytes
  std::optional<std::int64_t> storage_id;
  std::optional<model::TrialId> trial;
  std::optional<model::ExperimentId> experiment;
  Json experiment_config;
  Json hparams;
  std::optional<double> searcher_metric;
  Json validation_metrics;  // name -> value, or null
  Json training_metrics;
};

[[nodiscard]] Json to_json(const Checkpoint& checkpoint);

}  // namespace det::wire
