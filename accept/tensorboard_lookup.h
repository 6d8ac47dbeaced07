#pragma once

// The experiments and trials that a TensorBoard is to show. Belongs to the io thread.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "pods/tensorboard_source.h"
#include "store/experiments/experiment_store.h"
#include "store/trials/trial_store.h"

namespace det::accept {

struct ShownByTensorBoard {
  std::vector<std::int64_t> experiments;
  std::vector<std::int64_t> trials;
};

struct FoundExperiment {
  pods::ShownExperiment shown;
  model::UserId owner;
  std::string ns;  // of its object
  bool is_unmanaged = false;
};

// By id, each once, with those trials of it that are wanted; all of them where the experiment itself is. kNotFound,
// with the field `experimentIDs` or `trialIDs`, for one that does not exist.
Task<Result<std::vector<FoundExperiment>>> find_shown(store::ExperimentStore& experiments, store::TrialStore& trials,
                                                      ShownByTensorBoard wanted);
[[nodiscard]] std::vector<pods::ShownExperiment> only_shown(const std::vector<FoundExperiment>& found);

}  // namespace det::accept
