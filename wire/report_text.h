#pragma once

// v1MetricsReport as text, for answers with millions of them: the same as to_json() of wire/metrics_report.h, without a
// tree in between. Pure.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/wall_time.h"
#include "model/ids.h"

namespace det::wire {

// `"name":` for each, once for all reports.
[[nodiscard]] std::vector<std::string> report_keys(const std::vector<std::string>& names);

// A number of the wire: NaN and infinities as its strings, whole numbers without a fraction.
void append_number(std::string& out, double value);

// Texts that are JSON already.
struct ReportPart {
  std::span<const std::string> keys;  // report_keys()
  std::span<const double> values;     // as many
  std::string_view others;            // an object whose values count instead of these names' numbers; may be empty
};

struct ReportHead {
  model::TrialId trial;
  int run = 0;
  std::string_view group;
  std::int64_t steps = 0;
  WallTime time;
  std::int64_t number = 0;         // of the report in its answer
  std::string_view batch_metrics;  // a list; may be empty
};

// Of a name that several parts have the first counts.
void append_report(std::string& out, const ReportHead& head, std::span<const ReportPart> parts);

}  // namespace det::wire
