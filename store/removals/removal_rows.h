#pragma once

// What the table removals holds, as plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/ids.h"
#include "model/states.h"

namespace det::store {

// Files that one task removes: of one experiment, in one storage.
struct Removal {
  std::int64_t id = 0;
  model::ExperimentId experiment;
  nlohmann::json storage;          // the section checkpoint_storage
  std::vector<std::string> uuids;  // of checkpoints, ascending; none: TensorBoard files only
  std::vector<std::string> globs;
  bool tensorboard = false;
  std::string reason;
  int attempts = 0;
  std::string task_id;  // of the latest attempt; empty: none yet
  WallTime next_try;
  std::string error;
};

// How far a removal is.
struct RemovalProgress {
  bool is_over = false;
  std::string error;  // of the latest attempt that failed, unless one went well since; empty: none did
};

// What somebody wants to have removed.
struct RemovalRequest {
  std::vector<std::string> uuids;  // each valid and once
  std::vector<std::string> globs;
  std::optional<model::UserId> owner;  // whose checkpoints they must be; nothing: anybody's
  std::string reason;
};

// Of experiments that ended before this version: what the policy would have removed is unknown until it is planned.
struct HeldExperiments {
  std::int64_t experiments = 0;
  std::int64_t checkpoints = 0;
  std::int64_t bytes = 0;
};

// A project that is being deleted.
struct GoingProject {
  struct Experiment {
    model::ExperimentId id;
    model::ExperimentState state = model::ExperimentState::kDeleting;
    std::string message;  // why it is in this state
  };
  model::ProjectId id;
  std::vector<Experiment> next;    // whose deletion has not begun, the earliest first; up to 100
  std::vector<Experiment> failed;  // that could not be deleted; up to 100
  std::int64_t left = 0;           // all that are still there
};

// A workspace that is being deleted.
struct GoingWorkspace {
  struct Task {
    std::string id;
    std::string ns;
    std::string name;
    std::string uid;  // of its object; empty: it has none yet
    bool is_over = false;
    bool removes_files = false;  // of an experiment that may be in another workspace by now
  };
  model::WorkspaceId id;
  std::int64_t projects = 0;
  std::string failure;      // of a project that could not be deleted; empty: none
  std::vector<Task> tasks;  // up to 200
};

}  // namespace det::store
