#pragma once

// The query of curves: which metrics, which part of the axis, how many points. Pure.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/arguments.h"
#include "api/metrics/curve.h"

namespace det::api {

// The group and the metricName of a query; both are needed.
struct NamedMetric {
  std::string group;
  std::string name;
};
[[nodiscard]] Result<NamedMetric> read_named_metric(const QueryArguments& arguments);
// "<group>.<name>", where the name may have more dots, as the value of `field`.
[[nodiscard]] Result<NamedMetric> parse_metric_id(std::string_view field, const std::string& id);

// startBatches and endBatches, where 0 is no end; inclusive, both.
struct StepRange {
  std::int64_t from = 0;
  std::int64_t to = 0;
};
[[nodiscard]] StepRange read_step_range(QueryArguments& arguments);
// maxDatapoints; 0 or nothing means `otherwise`.
[[nodiscard]] Result<std::size_t> read_most_points(QueryArguments& arguments, std::size_t otherwise);

struct SeriesRequest {
  std::vector<std::int64_t> trials;                       // ascending, each once
  std::map<std::string, std::vector<std::string>> names;  // by group
  std::size_t most = 0;                                   // points of each trial and group
  bool is_spread = false;                                 // only so many reports are read
  StepRange steps;
  CurveAxis axis;
};
[[nodiscard]] Result<SeriesRequest> read_series_request(const http::Params& query);

}  // namespace det::api
