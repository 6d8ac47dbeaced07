#include "store/metrics/table_series.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "store/metrics/series_summary.h"
#include "store/sql.h"

namespace det::store {
namespace {

// Indexes: series_trial_id_grp_run_names_id_key, metrics_pkey, series_summaries_pkey.
const char* const kSeries =
    "SELECT s.id, s.last_steps, to_json(ARRAY(SELECT coalesce(array_position(n.names, w.name), 0) "
    "FROM unnest($3::text[]) WITH ORDINALITY AS w (name, place) ORDER BY w.place)), s.up_to, s.reports, "
    "coalesce((SELECT min(m.steps) FROM metrics m WHERE m.series_id = s.id), 0), "
    "EXISTS (SELECT 1 FROM metrics m WHERE m.series_id = s.id AND m.steps > s.up_to AND m.steps <= s.last_steps "
    "ORDER BY m.steps OFFSET $5 LIMIT 1) FROM outlined_series s "
    "JOIN metric_names n ON n.id = s.names_id WHERE s.trial_id = $1 AND s.grp = $2 AND n.names && $3::text[] "
    "ORDER BY s.run, s.id LIMIT $4";

constexpr std::int64_t kMostSeries = 1'000;

}  // namespace

std::unexpected<Error> too_many_reports(const TableQuery& query) {
  return fail(ErrorCode::kResourceExhausted, "trial " + to_string(query.trial) +
                                                 " has too many reports of the group '" + query.group +
                                                 "' to read at once: ask for a part of its steps");
}

Result<std::vector<TableSeries>> read_table_series(pg::Transaction& tx, const TableQuery& query) {
  std::vector<TableSeries> all;
  for (const auto& row :
       run_sql(tx, kSeries, query.trial.value, query.group, text_array(query.names), kMostSeries + 1, kCheapReports)) {
    all.push_back({.id = row[0].as<std::int32_t>(),
                   .first_steps = row[5].as<std::int64_t>(),
                   .last_steps = row[1].as<std::int64_t>(),
                   .places = as_json(row[2]).get<std::vector<std::size_t>>(),
                   .outlined_to = row[3].as<std::int64_t>(),
                   .outlined = row[4].as<std::int64_t>(),
                   .is_to_be_kept = row[6].as<bool>()});
  }
  if (std::ssize(all) > kMostSeries) return too_many_reports(query);
  return all;
}

RowQuery rows_of(const TableSeries& series, std::int64_t after, std::int64_t to) {
  RowQuery rows{.series = series.id, .low = 0, .high = 0, .after = after, .to = to};
  for (const std::size_t place : series.places) {
    if (place == 0) continue;
    rows.low = rows.low == 0 ? place : std::min(rows.low, place);
    rows.high = std::max(rows.high, place);
  }
  return rows;
}

TakeRow appending(MetricTable& table, const TableSeries& series, const RowQuery& rows) {
  return [&table, &series, low = rows.low](std::int32_t steps, double seconds, std::span<const double> values) {
    table.steps.push_back(steps);
    table.seconds.push_back(seconds);
    for (std::size_t i = 0; i < series.places.size(); ++i) {
      table.columns[i].push_back(series.places[i] == 0 ? absent() : values[series.places[i] - low]);
    }
  };
}

void merge_series(MetricTable& table) {
  std::vector<std::size_t> order(table.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&table](std::size_t i) { return std::pair(table.steps[i], i); });
  std::vector<std::size_t> kept;
  for (const std::size_t i : order) {
    if (kept.empty() || table.steps[kept.back()] != table.steps[i]) {
      kept.push_back(i);
      continue;
    }
    bool is_other = false;  // another run's report of the same metrics
    for (const auto& column : table.columns) is_other |= !is_absent(column[kept.back()]) && !is_absent(column[i]);
    if (is_other) {
      kept.push_back(i);
      continue;
    }
    for (auto& column : table.columns) {
      if (is_absent(column[kept.back()])) column[kept.back()] = column[i];
    }
  }
  table.keep(kept);
}

}  // namespace det::store
