#pragma once

// What the table removals holds, as plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/ids.h"

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

}  // namespace det::store
