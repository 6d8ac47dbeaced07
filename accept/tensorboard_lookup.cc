#include "accept/tensorboard_lookup.h"

#include <map>
#include <utility>

namespace det::accept {
namespace {

Error not_found(std::string what, std::int64_t id, std::string field) {
  return {.code = ErrorCode::kNotFound,
          .message = what + " '" + std::to_string(id) + "' not found",
          .field = std::move(field),
          .retry_after = {}};
}

}  // namespace

Task<Result<std::vector<FoundExperiment>>> find_shown(store::ExperimentStore& experiments, store::TrialStore& trials,
                                                      ShownByTensorBoard wanted) {
  std::map<std::int64_t, std::vector<std::int64_t>> by_experiment;  // with the trials that are wanted by themselves
  for (const std::int64_t id : wanted.trials) {
    auto trial = co_await trials.find(model::TrialId{id});
    DET_CO_TRY(trial);
    if (!*trial) co_return std::unexpected(not_found("trial", id, "trialIDs"));
    by_experiment[(**trial).experiment.value].push_back(id);
  }
  for (const std::int64_t id : wanted.experiments) by_experiment[id].clear();
  std::vector<FoundExperiment> found;
  for (auto& [id, its_trials] : by_experiment) {
    auto row = co_await experiments.find(model::ExperimentId{id});
    DET_CO_TRY(row);
    if (!*row) co_return std::unexpected(not_found("experiment", id, "experimentIDs"));
    found.push_back({.shown = {.id = (**row).id, .trials = std::move(its_trials), .config = std::move((**row).config)},
                     .owner = (**row).owner,
                     .ns = std::move((**row).ns),
                     .is_unmanaged = (**row).is_unmanaged});
  }
  co_return found;
}

std::vector<pods::ShownExperiment> only_shown(const std::vector<FoundExperiment>& found) {
  std::vector<pods::ShownExperiment> shown;
  for (const FoundExperiment& one : found) shown.push_back(one.shown);
  return shown;
}

}  // namespace det::accept
