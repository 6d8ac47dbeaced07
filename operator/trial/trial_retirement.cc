#include "operator/trial/trial_retirement.h"

#include <algorithm>

#include "model/states.h"

namespace det::op {

std::vector<store::TrialRow> trials_with_objects(std::vector<store::TrialRow> trials, std::size_t most) {
  std::erase_if(trials, [](const store::TrialRow& trial) { return model::is_terminal(trial.state); });
  if (trials.size() > most) trials.erase(trials.begin() + static_cast<std::ptrdiff_t>(most), trials.end());
  return trials;
}

bool is_finished(const KeptTrial& trial) {
  const auto state = model::parse_trial_state(trial.state);
  return state && model::is_terminal(*state) && !trial.head.deleting;
}

std::vector<FinishedTrial> trials_to_retire(std::vector<FinishedTrial> finished, std::size_t keep) {
  if (finished.size() <= keep) return {};
  std::ranges::sort(finished, {}, &FinishedTrial::id);
  finished.resize(finished.size() - keep);
  return finished;
}

}  // namespace det::op
