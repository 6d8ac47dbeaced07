#include "operator/trial/trial_retirement.h"

#include <algorithm>
#include <utility>

#include "model/states.h"

namespace det::op {
namespace {

// A halving by operations lets most of its trials rest until its end: they would take all places.
bool rests_with_object(const store::TrialRow& trial) {
  return trial.work.is_awaited() && !trial.uid.empty();
}

}  // namespace

std::vector<store::TrialRow> trials_with_objects(std::vector<store::TrialRow> trials, std::size_t most) {
  std::erase_if(trials, [](const store::TrialRow& trial) { return model::is_terminal(trial.state); });
  std::vector<store::TrialRow> chosen;
  std::size_t taken = 0;
  for (store::TrialRow& trial : trials) {
    if (!rests_with_object(trial) && ++taken > most) continue;
    chosen.push_back(std::move(trial));
  }
  return chosen;
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
