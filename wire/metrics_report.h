#pragma once

// v1MetricsReport: what one report of a trial said. Pure.

#include <cstdint>
#include <string>

#include "base/wall_time.h"
#include "model/ids.h"
#include "wire/forms.h"

namespace det::wire {

struct MetricsReport {
  model::TrialId trial;
  int run = 0;
  std::string group;
  std::int64_t steps = 0;
  WallTime time;
  Json metrics;             // name -> value
  Json batch_metrics;       // null or a list
  std::int64_t number = 0;  // of the report in its answer
};

// Of the group "validation" the metrics stand under both names that clients look for.
[[nodiscard]] Json to_json(const MetricsReport& report);

}  // namespace det::wire
