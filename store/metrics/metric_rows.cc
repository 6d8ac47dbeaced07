#include "store/metrics/metric_rows.h"

#include <algorithm>
#include <charconv>

#include "store/metrics/metric_table.h"
#include "store/metrics/metric_values.h"
#include "store/sql.h"

namespace det::store {
namespace {

// Index of all: metrics_pkey. Seconds as a number: a third of the time that a written date takes.
const char* const kFirst =
    "SELECT m.steps, date_part('epoch', m.time), m.values[$5:$6] FROM metrics m "
    "WHERE m.series_id = $1 AND m.steps > $2 AND m.steps <= $3 ORDER BY m.steps LIMIT $4";
const char* const kLast =
    "SELECT m.steps, date_part('epoch', m.time), m.values[$5:$6] FROM metrics m "
    "WHERE m.series_id = $1 AND m.steps > $2 AND m.steps <= $3 ORDER BY m.steps DESC LIMIT $4";
const char* const kSpread =
    "SELECT DISTINCT ON (p.steps) p.steps, date_part('epoch', p.time), p.values[$5:$6] "
    "FROM (SELECT (SELECT min(steps) FROM metrics WHERE series_id = $1 AND steps > $2 AND steps <= $3) AS low, "
    "(SELECT max(steps) FROM metrics WHERE series_id = $1 AND steps > $2 AND steps <= $3) AS high) r, "
    "LATERAL (SELECT generate_series(r.low, r.high, greatest(1, (r.high - r.low) / $4)) AS place UNION SELECT r.high) "
    "g, "
    "LATERAL (SELECT m.steps, m.time, m.values FROM metrics m WHERE m.series_id = $1 AND m.steps >= g.place "
    "AND m.steps <= $3 ORDER BY m.steps LIMIT 1) p ORDER BY p.steps";
const char* const kAt =
    "SELECT m.steps, date_part('epoch', m.time), m.values[$4:$5] FROM metrics m "
    "WHERE m.series_id = $1 AND m.steps = ANY($2::int[]) AND m.steps <= $3 ORDER BY m.steps";

constexpr std::int64_t kValuesAtOnce = 200'000;
constexpr std::int64_t kRowsAtOnce = 20'000;

std::int64_t take_all(const pqxx::result& rows, const RowQuery& query, const TakeRow& take) {
  std::vector<double> values;
  for (const auto& row : rows) {
    std::int32_t steps = 0;
    double seconds = 0;
    const pqxx::field at = row[0];
    const pqxx::field time = row[1];
    const pqxx::field numbers = row[2];
    std::from_chars(at.c_str(), at.c_str() + at.size(), steps);
    std::from_chars(time.c_str(), time.c_str() + time.size(), seconds);
    values.clear();
    append_values({numbers.c_str(), numbers.size()}, query.high - query.low + 1, values, absent());
    take(steps, seconds, values);
  }
  return std::ssize(rows);
}

}  // namespace

std::int64_t page_of(const RowQuery& query) {
  const auto width = static_cast<std::int64_t>(query.high - query.low + 1);
  return std::clamp<std::int64_t>(kValuesAtOnce / width, 1, kRowsAtOnce);
}

std::int64_t read_first_rows(pg::Transaction& tx, const RowQuery& query, std::int64_t most, const TakeRow& take) {
  return take_all(run_sql(tx, kFirst, query.series, query.after, query.to, most, query.low, query.high), query, take);
}

std::int64_t read_last_rows(pg::Transaction& tx, const RowQuery& query, std::int64_t most, const TakeRow& take) {
  return take_all(run_sql(tx, kLast, query.series, query.after, query.to, most, query.low, query.high), query, take);
}

std::int64_t read_spread_rows(pg::Transaction& tx, const RowQuery& query, std::int64_t places, const TakeRow& take) {
  return take_all(run_sql(tx, kSpread, query.series, query.after, query.to, places, query.low, query.high), query,
                  take);
}

std::int64_t read_rows_at(pg::Transaction& tx, const RowQuery& query, const std::vector<std::int64_t>& steps,
                          const TakeRow& take) {
  return take_all(run_sql(tx, kAt, query.series, int_array(steps), query.to, query.low, query.high), query, take);
}

}  // namespace det::store
