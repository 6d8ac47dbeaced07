#pragma once

// The arithmetic of successive halving: how long each rung trains, which brackets an adaptive search has, how many
// trials each gets. The formulas and their rounding are Determined's, including its logarithms. Pure.

#include <cstdint>
#include <vector>

#include "model/expconf/experiment_config.h"

namespace det::searcher {

// For each of `num_rungs` rungs, bottom first: max(trunc(max_units / divisor^(rungs above it)), 1). The top rung's is
// `max_units`.
[[nodiscard]] std::vector<std::int64_t> rung_units(std::int64_t num_rungs, double divisor, std::int64_t max_units);

struct AdaptivePlan {
  std::int64_t max_trials = 1;
  std::int64_t max_units = 1;  // max_time, or max_length without its unit
  double divisor = 4;
  model::AdaptiveMode mode = model::AdaptiveMode::kStandard;
  std::int64_t max_rungs = 5;
  std::vector<std::int64_t> bracket_rungs;  // empty: by mode
  std::int64_t max_concurrent = 16;         // 0: as many as the smallest bracket has trials
};

struct Bracket {
  std::int64_t num_rungs = 1;
  std::int64_t max_trials = 1;
  std::int64_t max_concurrent = 1;

  bool operator==(const Bracket&) const = default;
};

// Most rungs first; one at least. The sum of max_trials is at least the plan's.
[[nodiscard]] std::vector<Bracket> plan_brackets(const AdaptivePlan& plan);

// How many of `max_concurrent` trials at once fall to bracket `index` of `count`: at least one to each.
[[nodiscard]] std::int64_t share_of(std::int64_t index, std::int64_t count, std::int64_t max_concurrent);

// How many trials a bracket begins with: max_concurrent of them, or, where that is 0, as many as give the top rung one
// result; never more than max_trials.
[[nodiscard]] std::int64_t first_trials(const Bracket& bracket, double divisor);

// The progress of successive halving, 0..1: by the `results` in the bottom rung, allowing for a fifth more work above
// it; once all `max_trials` are there, by the `finished` trials if that is more.
[[nodiscard]] double halving_progress(std::int64_t results, std::int64_t max_trials, std::int64_t finished);

// How many of its trials a bracket expects to stop at each of its rungs, bottom first; the top rung's are those
// that train to the end.
[[nodiscard]] std::vector<std::int64_t> expected_stops(const Bracket& bracket, double divisor);

}  // namespace det::searcher
