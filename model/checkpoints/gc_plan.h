#pragma once

// Which checkpoints of an experiment its policy gives up (checkpoint_storage.save_experiment_best, save_trial_best,
// save_trial_latest), by upstream's rules (master/internal/experiment/postgres_experiments.go). Pure.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/wall_time.h"
#include "model/ids.h"
#include "model/states.h"

namespace det::model {

struct GcPolicy {
  std::int64_t save_experiment_best = 0;
  std::int64_t save_trial_best = 1;
  std::int64_t save_trial_latest = 1;

  bool operator==(const GcPolicy&) const = default;
};

// Of an experiment's complete configuration, with the settings changed since its acceptance, by the same names;
// upstream's defaults where neither says anything.
[[nodiscard]] GcPolicy gc_policy_of(const nlohmann::json& config, const nlohmann::json& live);

struct GcCheckpoint {
  std::string uuid;
  TrialId trial;
  std::int64_t steps = 0;
  std::optional<double> metric;  // the searcher's, at exactly these steps; not a number is worse than any
  WallTime report_time;
  CheckpointState state = CheckpointState::kCompleted;
};

// The uuids that go, in the order of `all`. Kept are: of the experiment and of each trial, so many of the best by the
// searcher's metric, of equally good ones those reported first; of each trial, so many of the latest, and what is at
// the same step as the last of those; and what is protected, which still counts as one of the best. What is deleted
// neither goes nor counts. What was never completed does not count, and goes unless it is protected.
[[nodiscard]] std::vector<std::string> plan_gc(const std::vector<GcCheckpoint>& all, bool smaller_is_better,
                                               const GcPolicy& policy, const std::set<std::string>& protected_uuids);

// Whether files may be removed by this pattern: below the checkpoint's folder, and never that folder by accident.
// kInvalidArgument, with upstream's words.
[[nodiscard]] Status check_removal_glob(const std::string& glob);
// The pattern of all files of a checkpoint.
inline constexpr const char* kAllFiles = "**/*";

}  // namespace det::model
