#pragma once

// Some metrics of one trial and group as columns, for curves: numbers only, of the visible reports, in order of steps.
// A detail of MetricSeriesStore, and the values that it gives.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

struct TableQuery {
  model::TrialId trial;
  std::string group;
  std::vector<std::string> names;
  std::int64_t from_steps = 0;  // inclusive, both
  std::int64_t to_steps = std::numeric_limits<std::int32_t>::max();
  // Of each series about so many reports, evenly spread over its steps, first and last among them; 0: all.
  std::int64_t spread = 0;
  // Of the curve that is drawn from it.
  std::int64_t points = 0;
  // Long series may be read from outlines (series_outline.h) that show more than `points`: reports between stay out.
  // For curves over steps or all of the time, with `spread` 0.
  bool is_outlined = false;
};

struct MetricTable {
  std::vector<std::int32_t> steps;
  std::vector<double> seconds;               // since 1970
  std::vector<std::vector<double>> columns;  // of each name asked for, one value per row

  [[nodiscard]] std::size_t size() const { return steps.size(); }
  // Leaves these rows, in this order.
  void keep(std::span<const std::size_t> rows);

  bool operator==(const MetricTable&) const = default;
};

// Of a row whose report lacks the metric, or where it is no number. It is a NaN, but not the one that is reported.
[[nodiscard]] double absent();
[[nodiscard]] bool is_absent(double value);

// Which rows of a table stand for all of them, at most about so many, ascending; on a thread of the pool. Pure.
using Thinning = std::function<std::vector<std::size_t>(const MetricTable&, std::size_t most)>;

// Leaves some times as many rows as the curve has points of a table that is too large to be held.
void thin_large(MetricTable& table, const TableQuery& query, const Thinning& thin);

// kResourceExhausted when that are too many reports, or sets of names, to be read at once.
[[nodiscard]] Result<MetricTable> read_table(pg::Transaction& tx, const TableQuery& query, const Thinning& thin);
// The same, but nothing where a series has so many reports without outlines that some are to be made first.
[[nodiscard]] Result<std::optional<MetricTable>> read_kept_table(pg::Transaction& tx, const TableQuery& query,
                                                                 const Thinning& thin);

}  // namespace det::store
