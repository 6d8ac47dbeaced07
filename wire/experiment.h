#pragma once

// v1Experiment. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/wall_time.h"
#include "model/ids.h"
#include "model/states.h"
#include "wire/forms.h"

namespace det::wire {

struct Experiment {
  model::ExperimentId id;
  std::string name;
  std::string description;
  std::vector<std::string> labels;
  std::string notes;
  model::ExperimentState state = model::ExperimentState::kPaused;
  std::optional<model::AllocationState> allocation_state;
  bool archived = false;
  WallTime start_time;
  std::optional<WallTime> end_time;
  std::vector<model::TrialId> trial_ids;
  std::string username;
  std::string display_name;
  model::UserId user;
  std::string job_id;
  std::optional<model::ExperimentId> forked_from;
  std::optional<double> progress;
  model::ProjectId project{1};
  std::string project_name;
  model::UserId project_owner;
  model::WorkspaceId workspace{1};
  std::string workspace_name;
  bool is_parent_archived = false;
  Json config;  // complete; resource pool, searcher and hyperparameters are read from it
  std::string original_config;
  std::int64_t checkpoint_count = 0;
  std::int64_t checkpoint_bytes = 0;
  std::int64_t context_bytes = 0;
  std::optional<model::TrialId> best_trial;
  std::optional<double> best_metric;
  bool is_unmanaged = false;      // its trials run where people start them
  std::string external_id;        // empty: none
  std::string external_trial_id;  // of best_trial; empty: none
};

[[nodiscard]] Json to_json(Experiment experiment);
// What `validateOnly` answers: every key there, nothing in it.
[[nodiscard]] Json unspecified_experiment();

}  // namespace det::wire
