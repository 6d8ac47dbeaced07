#include "searcher/bracket_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

#include "searcher/go_math.h"

namespace det::searcher {
namespace {

// Toward zero, within the range of the type; what is no number counts as 0.
std::int64_t truncated(double value) {
  if (std::isnan(value)) return 0;
  constexpr double kLimit = 9223372036854774784.0;  // the largest double below 2^63
  return static_cast<std::int64_t>(std::clamp(value, -kLimit, kLimit));
}

// How often `value` can be divided by `divisor`, plus one.
std::int64_t levels_of(std::int64_t value, double divisor) {
  return truncated(go_log(static_cast<double>(value)) / go_log(divisor)) + 1;
}

std::vector<std::int64_t> rungs_by_mode(const AdaptivePlan& plan) {
  const std::int64_t most =
      std::min({plan.max_rungs, levels_of(plan.max_units, plan.divisor), levels_of(plan.max_trials, plan.divisor)});
  std::int64_t fewest = 1;
  switch (plan.mode) {
    case model::AdaptiveMode::kAggressive:
      fewest = most;
      break;
    case model::AdaptiveMode::kStandard:
      fewest = (most - 1) / 2 + 1;
      break;
    case model::AdaptiveMode::kConservative:
      break;
  }
  std::vector<std::int64_t> rungs(static_cast<std::size_t>(most - fewest + 1));
  std::iota(rungs.begin(), rungs.end(), fewest);
  return rungs;
}

// In proportion to what a bracket's bottom rung saves; the first takes what rounding leaves.
void share_trials(const AdaptivePlan& plan, std::vector<Bracket>& brackets) {
  std::vector<double> weights;
  for (const Bracket& bracket : brackets) {
    const auto rungs = static_cast<double>(bracket.num_rungs);
    weights.push_back(go_pow(plan.divisor, rungs - 1) / rungs);
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::int64_t given = 0;
  for (std::size_t i = 0; i < brackets.size(); ++i) {
    const double share = weights[i] / total * static_cast<double>(plan.max_trials);
    brackets[i].max_trials = std::max<std::int64_t>(truncated(share), 1);
    given += brackets[i].max_trials;
  }
  brackets.front().max_trials += std::max<std::int64_t>(plan.max_trials - given, 0);
}

void share_concurrency(const AdaptivePlan& plan, std::vector<Bracket>& brackets) {
  const auto count = static_cast<std::int64_t>(brackets.size());
  if (plan.max_concurrent == 0) {
    const std::int64_t each = std::max(brackets.back().max_trials, truncated(plan.divisor));
    for (Bracket& bracket : brackets) bracket.max_concurrent = each;
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    brackets[static_cast<std::size_t>(i)].max_concurrent = share_of(i, count, plan.max_concurrent);
  }
}

}  // namespace

std::int64_t share_of(std::int64_t index, std::int64_t count, std::int64_t max_concurrent) {
  const std::int64_t all = std::max(max_concurrent, count);
  return all / count + (index < all % count ? 1 : 0);
}

std::vector<std::int64_t> rung_units(std::int64_t num_rungs, double divisor, std::int64_t max_units) {
  std::vector<std::int64_t> units;
  for (std::int64_t i = 0; i < num_rungs; ++i) {
    const double shrunk = static_cast<double>(max_units) / go_pow(divisor, static_cast<double>(num_rungs - 1 - i));
    units.push_back(std::max<std::int64_t>(truncated(shrunk), 1));
  }
  return units;
}

std::vector<Bracket> plan_brackets(const AdaptivePlan& plan) {
  std::vector<std::int64_t> rungs = plan.bracket_rungs.empty() ? rungs_by_mode(plan) : plan.bracket_rungs;
  std::ranges::sort(rungs, std::greater());
  std::vector<Bracket> brackets;
  for (const std::int64_t num_rungs : rungs) brackets.push_back({.num_rungs = num_rungs});
  share_trials(plan, brackets);
  share_concurrency(plan, brackets);
  return brackets;
}

std::int64_t first_trials(const Bracket& bracket, double divisor) {
  if (bracket.max_concurrent > 0) return std::min(bracket.max_concurrent, bracket.max_trials);
  const std::int64_t filling = truncated(go_pow(divisor, static_cast<double>(bracket.num_rungs - 1)));
  return std::min(std::max<std::int64_t>(filling, 1), bracket.max_trials);
}

double halving_progress(std::int64_t results, std::int64_t max_trials, std::int64_t finished) {
  const auto all = static_cast<double>(max_trials);
  const double begun = static_cast<double>(results) / (1.2 * all);
  return results == max_trials ? std::max(static_cast<double>(finished) / all, begun) : begun;
}

std::vector<std::int64_t> expected_stops(const Bracket& bracket, double divisor) {
  std::vector<std::int64_t> stops;
  std::int64_t left = bracket.max_trials;
  for (std::int64_t rung = 1; rung < bracket.num_rungs; ++rung) {
    const std::int64_t go_on = std::max<std::int64_t>(truncated(static_cast<double>(left) / divisor), 1);
    stops.push_back(left - go_on);
    left = go_on;
  }
  stops.push_back(left);
  return stops;
}

}  // namespace det::searcher
