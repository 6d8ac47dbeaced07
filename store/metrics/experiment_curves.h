#pragma once

// One metric of all trials of an experiment, for a picture: a few reports of each series, evenly spread over its steps,
// or from its outline (series_outline.h) where that has enough of them; by two queries, however many trials there are.
// A detail of MetricSeriesStore, and its values.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

struct ExperimentCurvesQuery {
  model::ExperimentId experiment;
  std::string group;
  std::string name;
  std::int64_t most_trials = 0;  // the newest
  std::int64_t from_steps = 0;   // inclusive, both
  std::int64_t to_steps = std::numeric_limits<std::int32_t>::max();
  // About so many reports of all series together, but at least kFewestOfSeries and at most kMostOfSeries of each.
  std::int64_t points = 0;
};
inline constexpr std::int64_t kFewestOfSeries = 20;
inline constexpr std::int64_t kMostOfSeries = 1'000;

// In order of steps; of several runs that reported at the same steps, in order of runs.
struct TrialCurve {
  model::TrialId trial;
  std::vector<std::int32_t> steps;
  std::vector<double> seconds;  // since 1970
  std::vector<double> values;   // also NaN and infinities; what was reported as another thing than a number is left out
};

struct ExperimentCurves {
  std::int64_t trials = 0;         // of the experiment, whether they reported or not
  std::vector<TrialCurve> curves;  // of trials that reported it, ascending
};

// kResourceExhausted when the trials have more series than can be read at once.
[[nodiscard]] Result<ExperimentCurves> read_experiment_curves(pg::Transaction& tx, const ExperimentCurvesQuery& query);

}  // namespace det::store
