#include "operator/experiment/trial_widening.h"

#include <algorithm>

#include "base/json_get.h"
#include "model/states.h"

namespace det::op {

using searcher::Widened;

namespace {

constexpr std::int64_t kLargestStep = std::int64_t{4} << 20;  // bytes of hyperparameters

}  // namespace

bool takes_a_place(const store::TrialRow& trial) {
  return !model::is_terminal(trial.state) && !trial.work.is_awaited();
}

std::int64_t trials_at_once(const nlohmann::json& config) {
  const std::size_t of_each = get_any(config, "hyperparameters").dump().size();
  return std::clamp<std::int64_t>(kLargestStep / static_cast<std::int64_t>(of_each), 1, kTrialsAtOnce);
}

std::optional<Widened> next_widening(const searcher::Search& search, std::int64_t accepted, std::int64_t wanted,
                                     std::int64_t open, std::int64_t most_at_once) {
  const std::int64_t from = std::max(accepted, search.width());
  const std::int64_t room = std::min(kMostOpen - open, most_at_once);
  // What was drawn at the start comes first.
  if (accepted <= 0 || wanted <= from || room <= 0 || search.holds_back()) return std::nullopt;
  return Widened{.from = from, .to = from + std::min(wanted - from, room)};
}

std::optional<Widened> rest_of_widening(const Widened& part, std::int64_t wanted, std::int64_t created) {
  if (wanted <= part.to || created >= part.to - part.from) return std::nullopt;
  return Widened{.from = part.to, .to = wanted};
}

}  // namespace det::op
