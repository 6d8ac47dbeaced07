#include "store/metrics/metric_table.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>

#include "store/metrics/metric_values.h"
#include "store/sql.h"

namespace det::store {
namespace {

// Indexes of all: series_trial_id_grp_run_names_id_key, metrics_pkey.
const char* const kSeries =
    "SELECT s.id, s.last_steps, to_json(ARRAY(SELECT coalesce(array_position(n.names, w.name), 0) "
    "FROM unnest($3::text[]) WITH ORDINALITY AS w (name, place) ORDER BY w.place)) FROM visible_series s "
    "JOIN metric_names n ON n.id = s.names_id WHERE s.trial_id = $1 AND s.grp = $2 AND n.names && $3::text[] "
    "ORDER BY s.run, s.id LIMIT $4";
// Seconds as a number: a third of the time that a written date takes.
const char* const kRows =
    "SELECT m.steps, date_part('epoch', m.time), m.values[$5:$6] FROM metrics m "
    "WHERE m.series_id = $1 AND m.steps > $2 AND m.steps <= $3 ORDER BY m.steps LIMIT $4";

// The first report at or behind each of $4 places: one look into the index each, however many there are between them.
const char* const kSpreadRows =
    "SELECT DISTINCT ON (p.steps) p.steps, date_part('epoch', p.time), p.values[$5:$6] "
    "FROM (SELECT (SELECT min(steps) FROM metrics WHERE series_id = $1 AND steps > $2 AND steps <= $3) AS low, "
    "(SELECT max(steps) FROM metrics WHERE series_id = $1 AND steps > $2 AND steps <= $3) AS high) r, "
    "LATERAL (SELECT generate_series(r.low, r.high, greatest(1, (r.high - r.low) / $4)) AS place UNION SELECT r.high) "
    "g, "
    "LATERAL (SELECT m.steps, m.time, m.values FROM metrics m WHERE m.series_id = $1 AND m.steps >= g.place "
    "AND m.steps <= $3 ORDER BY m.steps LIMIT 1) p ORDER BY p.steps";

constexpr std::int64_t kMostSeries = 1'000;
constexpr std::size_t kMostRows = 20'000'000;   // read for one table
constexpr std::size_t kManyValues = 3'000'000;  // held of it
constexpr std::size_t kValuesAtOnce = 200'000;
constexpr std::size_t kRowsAtOnce = 20'000;
constexpr std::uint64_t kAbsent = 0x7ff8'0000'6162'7365;

struct Series {
  std::int32_t id = 0;
  std::int64_t last_steps = 0;
  std::vector<std::size_t> places;  // of each name, from 1; 0: not in it
};

std::unexpected<Error> too_much(const TableQuery& query) {
  return fail(ErrorCode::kResourceExhausted, "trial " + to_string(query.trial) +
                                                 " has too many reports of the group '" + query.group +
                                                 "' to read at once: ask for a part of its steps");
}

// Appends the series to `table`, page by page.
Result<std::size_t> read_series(pg::Transaction& tx, const TableQuery& query, const Series& series,
                                const Thinning& thin, MetricTable& table) {
  std::size_t low = series.places.front();
  std::size_t high = 0;
  for (const std::size_t place : series.places) {
    if (place == 0) continue;
    low = low == 0 ? place : std::min(low, place);
    high = std::max(high, place);
  }
  const std::size_t width = high - low + 1;
  const auto page = static_cast<std::int64_t>(std::clamp<std::size_t>(kValuesAtOnce / width, 1, kRowsAtOnce));
  const std::int64_t to = std::min(query.to_steps, series.last_steps);
  std::int64_t after = query.from_steps - 1;
  std::vector<double> values;
  std::size_t read = 0;
  for (bool has_more = true; has_more;) {
    const pqxx::result rows = query.spread > 0 ? run_sql(tx, kSpreadRows, series.id, after, to, query.spread, low, high)
                                               : run_sql(tx, kRows, series.id, after, to, page, low, high);
    for (const auto& row : rows) {
      std::int32_t steps = 0;
      double seconds = 0;
      const pqxx::field at = row[0];
      const pqxx::field time = row[1];
      const pqxx::field numbers = row[2];
      std::from_chars(at.c_str(), at.c_str() + at.size(), steps);
      std::from_chars(time.c_str(), time.c_str() + time.size(), seconds);
      values.clear();
      append_values({numbers.c_str(), numbers.size()}, width, values, absent());
      table.steps.push_back(steps);
      table.seconds.push_back(seconds);
      for (std::size_t i = 0; i < series.places.size(); ++i) {
        table.columns[i].push_back(series.places[i] == 0 ? absent() : values[series.places[i] - low]);
      }
      after = steps;
    }
    has_more = query.spread == 0 && std::ssize(rows) == page;
    read += static_cast<std::size_t>(rows.size());
    if (read > kMostRows) return too_much(query);
    if (table.size() * (table.columns.size() + 2) > kManyValues) table.keep(thin(table));
  }
  return read;
}

// In order of steps, later runs after earlier ones; rows of one report that stand in several series become one.
void merge(MetricTable& table) {
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

}  // namespace

double absent() {
  return std::bit_cast<double>(kAbsent);
}

bool is_absent(double value) {
  return std::bit_cast<std::uint64_t>(value) == kAbsent;
}

void MetricTable::keep(std::span<const std::size_t> rows) {
  const auto take = [rows](auto& column) {
    std::remove_reference_t<decltype(column)> kept;
    kept.reserve(rows.size());
    for (const std::size_t i : rows) kept.push_back(column[i]);
    column = std::move(kept);
  };
  take(steps);
  take(seconds);
  for (auto& column : columns) take(column);
}

Result<MetricTable> read_table(pg::Transaction& tx, const TableQuery& query, const Thinning& thin) {
  MetricTable table;
  table.columns.resize(query.names.size());
  if (query.names.empty()) return table;
  std::vector<Series> all;
  for (const auto& row :
       run_sql(tx, kSeries, query.trial.value, query.group, text_array(query.names), kMostSeries + 1)) {
    all.push_back({.id = row[0].as<std::int32_t>(),
                   .last_steps = row[1].as<std::int64_t>(),
                   .places = as_json(row[2]).get<std::vector<std::size_t>>()});
  }
  if (std::ssize(all) > kMostSeries) return too_much(query);
  std::size_t read = 0;
  for (const Series& series : all) {
    const auto rows = read_series(tx, query, series, thin, table);
    DET_TRY(rows);
    read += *rows;
    if (read > kMostRows) return too_much(query);
  }
  if (all.size() > 1) merge(table);
  return table;
}

}  // namespace det::store
