#pragma once

// The body of a metrics report: the hottest parser of the server, apart so that it can be made faster alone. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "store/metrics/metric_report.h"

namespace det::api {

struct ParsedReport {
  std::string group;
  std::int64_t trial_id = 0;
  std::int64_t run_id = 0;
  std::optional<std::int32_t> steps;    // a profiler's report has none
  std::optional<WallTime> report_time;  // by the task's clock
  store::MetricValues metrics;

  bool operator==(const ParsedReport&) const = default;
};

// kInvalidArgument naming the field that is missing or wrong.
[[nodiscard]] Result<ParsedReport> parse_report(std::string_view body);
// The same without the short cut for plain reports, for the test that both agree.
[[nodiscard]] Result<ParsedReport> parse_any_report(std::string_view body);

}  // namespace det::api
