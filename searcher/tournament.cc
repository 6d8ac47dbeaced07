#include "searcher/tournament.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/json_reader.h"
#include "searcher/bracket_plan.h"
#include "searcher/rung_json.h"

namespace det::searcher {

using nlohmann::json;

Tournament::Tournament(std::vector<std::unique_ptr<SearchMethod>> brackets) : brackets_(std::move(brackets)) {
  DET_CHECK(!brackets_.empty(), "a tournament has brackets");
}

std::size_t Tournament::bracket_of(TrialNumber trial) const {
  if (trial >= owners_.size() || owners_[trial] < 0) return 0;
  return static_cast<std::size_t>(owners_[trial]);
}

void Tournament::assign(TrialNumber trial, std::size_t bracket) {
  if (trial >= owners_.size()) owners_.resize(std::max<std::size_t>(trial + 1, owners_.size() * 2), -1);
  owners_[trial] = static_cast<std::int32_t>(bracket);
}

template <typename Decide>
auto Tournament::decided_by(SearchContext& context, std::size_t bracket, Decide decide) {
  TrialNumber next = context.trials.size();
  auto decisions = decide(*brackets_[bracket]);
  for (; next < context.trials.size(); ++next) assign(next, bracket);
  return decisions;
}

Decisions Tournament::initial_trials(SearchContext& context) {
  Decisions all;
  for (std::size_t i = 0; i < brackets_.size(); ++i) {
    Decisions decisions = decided_by(context, i, [&](SearchMethod& method) { return method.initial_trials(context); });
    for (Decision& decision : decisions) {
      if (brackets_.size() > 1) decision.reason = {"@, bracket #", decision.reason.text(), i + 1};
      all.push_back(std::move(decision));
    }
  }
  return all;
}

Decisions Tournament::trial_created(SearchContext& context, TrialNumber trial) {
  return decided_by(context, bracket_of(trial),
                    [&](SearchMethod& method) { return method.trial_created(context, trial); });
}

Result<Decisions> Tournament::validated(SearchContext& context, TrialNumber trial, const json& metrics) {
  return decided_by(context, bracket_of(trial),
                    [&](SearchMethod& method) { return method.validated(context, trial, metrics); });
}

Decisions Tournament::operation_completed(SearchContext& context, TrialNumber trial, double metric) {
  return decided_by(context, bracket_of(trial),
                    [&](SearchMethod& method) { return method.operation_completed(context, trial, metric); });
}

Decisions Tournament::exited_early(SearchContext& context, TrialNumber trial, ExitReason reason) {
  return decided_by(context, bracket_of(trial),
                    [&](SearchMethod& method) { return method.exited_early(context, trial, reason); });
}

Decisions Tournament::exited(SearchContext& context, TrialNumber trial) {
  return decided_by(context, bracket_of(trial), [&](SearchMethod& method) { return method.exited(context, trial); });
}

Decisions Tournament::widened(SearchContext& context, std::int64_t from, std::int64_t to) {
  Decisions all;
  std::int64_t left = 0;
  const auto widen = [&](std::size_t bracket, std::int64_t before, std::int64_t after) {
    const TrialNumber known = context.trials.size();
    Decisions decisions =
        decided_by(context, bracket, [&](SearchMethod& method) { return method.widened(context, before, after); });
    std::ranges::move(decisions, std::back_inserter(all));
    return after - before - static_cast<std::int64_t>(context.trials.size() - known);
  };
  const auto count = std::ssize(brackets_);
  for (std::int64_t i = 0; i < count; ++i) {
    left += widen(static_cast<std::size_t>(i), share_of(i, count, from), share_of(i, count, to));
  }
  for (std::size_t i = 0; i < brackets_.size() && left > 0; ++i) left = widen(i, 0, left);
  return all;
}

double Tournament::progress(const TrialBooks& trials) const {
  double sum = 0;
  for (const auto& bracket : brackets_) sum += bracket->progress(trials);
  return sum / static_cast<double>(brackets_.size());
}

json Tournament::state(const TrialBooks& trials) const {
  json table = json::object();
  for (TrialNumber trial = 0; trial < owners_.size(); ++trial) {
    if (owners_[trial] >= 0) table[trials.name(trial)] = owners_[trial];
  }
  json states = json::array();
  for (const auto& bracket : brackets_) states.push_back(bracket->state(trials));
  return {{"trial_table", std::move(table)},
          {"sub_search_states", std::move(states)},
          {"search_method_type", "adaptive_asha"}};
}

Status Tournament::restore(SearchContext& context, const json& state) {
  const auto not_ours = [](const char* what) {
    return fail(ErrorCode::kDataLoss, std::string("the snapshot is not that of this adaptive_asha search: ") + what);
  };
  if (!state.is_object() || state.value("search_method_type", json()) != "adaptive_asha") return not_ours("type");
  owners_.clear();
  const auto set_owner = [&](TrialNumber trial, const json& bracket) {
    const auto number = whole_number(bracket);
    if (!number || *number < 0 || *number >= std::ssize(brackets_)) return false;
    assign(trial, static_cast<std::size_t>(*number));
    return true;
  };
  if (!for_each_trial(context.trials, state.value("trial_table", json()), set_owner)) return not_ours("trial_table");
  const json states = state.value("sub_search_states", json());
  if (!states.is_array() || states.size() != brackets_.size()) return not_ours("sub_search_states");
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (Status restored = brackets_[i]->restore(context, states[i]); !restored) return restored;
  }
  return {};
}

}  // namespace det::searcher
