#pragma once

// A curve as clients draw it: which reports of a table stand for all of them, and their text. Pure; any thread.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "store/metrics/metric_table.h"

namespace det::api {

// What stands on the horizontal axis, and the part of it that is wanted.
struct CurveAxis {
  enum class Kind : std::uint8_t { kBatches, kTime, kMetric };

  Kind kind = Kind::kBatches;
  std::string metric;  // of kMetric
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
  bool includes_from = true;
  bool includes_to = true;
  std::vector<double> only;  // empty: no list
  std::vector<double> never;

  [[nodiscard]] bool wants(double x) const;
  // Whether it is a part of the steps, or all of the time: reports between those that show can stay out.
  [[nodiscard]] bool is_plain() const;
};

struct CurveQuery {
  std::vector<std::string> names;
  CurveAxis axis;
  std::size_t most = 0;  // points
};

// What to read for it: the names, and the columns that say where on the axis a report stands.
[[nodiscard]] std::vector<std::string> columns_of(const CurveQuery& query);

// At most `most` rows of what was read, each with a number of one of the names, ascending on the axis: the room is
// shared between the names.
[[nodiscard]] std::vector<std::size_t> pick_rows(const store::MetricTable& table, const CurveQuery& query);
// The same, as it is needed while a table is read.
[[nodiscard]] store::Thinning thinning(CurveQuery query);

// A list of v1DataPoint.
[[nodiscard]] std::string curve_text(const store::MetricTable& table, const CurveQuery& query,
                                     const std::vector<std::size_t>& rows);

}  // namespace det::api
