#pragma once

// What one report says of the steps that another one of the same run and group has told of. Pure; any thread.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "store/metrics/metric_report.h"

namespace det::store {

// From PostgreSQL: `names` a JSON array of texts, `values` one of the numbers' texts or null, `avg` the JSON of what is
// no number, or nothing. What is missing is null.
[[nodiscard]] MetricValues read_earlier(const std::string& names, const std::string& values, const std::string& avg);

// What `report` says beside what is known: all of it where `earlier` has none of its names. kInvalidArgument, in
// Determined's words, where it gives another value to a known name. Batch metrics stay.
[[nodiscard]] Result<MetricValues> without_known(MetricValues report, const MetricValues& earlier);

}  // namespace det::store
