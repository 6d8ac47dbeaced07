#pragma once

// One metrics report of a harness as the writer takes it, and the split of the wire's values. Pure; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "model/ids.h"

namespace det::store {

// Metrics of one report, names sorted. values[i] is nothing when the value of names[i] is not a number and stands in
// `extra["avg"]`; extra["batch"] holds the batch metrics. The strings "NaN", "Infinity" and "-Infinity" are numbers.
struct MetricValues {
  std::vector<std::string> names;
  std::vector<std::optional<double>> values;
  nlohmann::json extra;  // null or an object

  bool operator==(const MetricValues&) const = default;
};

// Bytes of a metric's name, and metrics in one report: more is refused. Names stand in every series and in every list
// of metrics that somebody asks for.
inline constexpr std::size_t kLongestMetricName = 1'000;
inline constexpr std::size_t kMostMetrics = 10'000;

// A number, or one of "NaN", "Infinity" and "-Infinity", which JSON cannot write otherwise; nothing for all else.
[[nodiscard]] std::optional<double> metric_number(const nlohmann::json& value);

// Splits "avgMetrics" (an object or null) and "batchMetrics" (a list or null) of the wire. kInvalidArgument with the
// field's path when they are something else or too much. NUL characters, which PostgreSQL cannot keep, become U+FFFD.
[[nodiscard]] Result<MetricValues> split_metrics(const nlohmann::json& avg_metrics,
                                                 const nlohmann::json& batch_metrics);

// What a validation report tells the searcher; it becomes visible in the same transaction as the report.
struct SearcherInput {
  model::ExperimentId experiment;
  double metric = 0;  // the searcher's metric
  bool smaller_is_better = true;
  std::string name;      // of that metric
  nlohmann::json event;  // read back by SearcherEventStore::pending; null where no search listens
};

struct MetricReport {
  model::TrialId trial;
  int run = 0;
  bool may_outlive_run = false;       // no token of its program ends with the run
  std::string group;                  // "training", "validation", ...
  std::optional<std::int32_t> steps;  // nothing: a profiler's report, kept by time
  WallTime time;
  MetricValues metrics;
  std::optional<SearcherInput> input;  // only with steps
};

}  // namespace det::store
