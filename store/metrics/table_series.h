#pragma once

// The series that a table of metrics is made of, and their rows in it. A detail of metric_table.h and outlined_table.h.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "pg/pool.h"
#include "store/metrics/metric_rows.h"
#include "store/metrics/metric_table.h"

namespace det::store {

struct TableSeries {
  std::int32_t id = 0;
  std::int64_t first_steps = 0;
  std::int64_t last_steps = 0;
  std::vector<std::size_t> places;  // of each name asked for, from 1; 0: not in it
  std::int64_t outlined_to = -1;    // reports up to these steps have outlines (series_outline.h)
  std::int64_t outlined = 0;        // how many
  bool is_to_be_kept = false;       // parts_to_keep (series_summary.h) would find a part of it
};

// In order of runs. kResourceExhausted when there are too many.
[[nodiscard]] Result<std::vector<TableSeries>> read_table_series(pg::Transaction& tx, const TableQuery& query);
// What the table has too many reports for.
[[nodiscard]] std::unexpected<Error> too_many_reports(const TableQuery& query);

// To read of the series after `after` up to `to` what has the names asked for.
[[nodiscard]] RowQuery rows_of(const TableSeries& series, std::int64_t after, std::int64_t to);
// Adds rows of that query to the table. All three outlive it.
[[nodiscard]] TakeRow appending(MetricTable& table, const TableSeries& series, const RowQuery& rows);

// In order of steps, later runs after earlier ones; rows of one report that stand in several series become one.
void merge_series(MetricTable& table);

}  // namespace det::store
