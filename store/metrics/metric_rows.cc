#include "store/metrics/metric_rows.h"

#include <algorithm>
#include <charconv>

#include "store/metrics/metric_table.h"
#include "store/metrics/metric_values.h"
#include "store/sql.h"

namespace det::store {
namespace {

// One statement for one name and one for several: an array of a single value takes twice the time.
struct Statements {
  std::string one;
  std::string several;
};

// Between the two stands what picks the values, by the parameters from `place` on.
Statements statements(const std::string& before, const std::string& after, int place) {
  const std::string low = std::to_string(place);
  const std::string high = std::to_string(place + 1);
  return {.one = before + "[$" + low + "] " + after, .several = before + "[$" + low + ":$" + high + "] " + after};
}

// Index of all: metrics_pkey. Seconds as a number: a third of the time that a written date takes.
const Statements kFirst =
    statements("SELECT m.steps, date_part('epoch', m.time), m.values",
               "FROM metrics m WHERE m.series_id = $1 AND m.steps > $2 AND m.steps <= $3 ORDER BY m.steps LIMIT $4", 5);
const Statements kLast = statements(
    "SELECT m.steps, date_part('epoch', m.time), m.values",
    "FROM metrics m WHERE m.series_id = $1 AND m.steps > $2 AND m.steps <= $3 ORDER BY m.steps DESC LIMIT $4", 5);
const Statements kSpread = statements(
    "SELECT DISTINCT ON (p.steps) p.steps, date_part('epoch', p.time), p.values",
    "FROM (SELECT (SELECT min(steps) FROM metrics WHERE series_id = $1 AND steps > $2 AND steps <= $3) AS low, "
    "(SELECT max(steps) FROM metrics WHERE series_id = $1 AND steps > $2 AND steps <= $3) AS high) r, "
    "LATERAL (SELECT generate_series(r.low, r.high, greatest(1, (r.high - r.low) / $4)) AS place UNION SELECT r.high) "
    "g, "
    "LATERAL (SELECT m.steps, m.time, m.values FROM metrics m WHERE m.series_id = $1 AND m.steps >= g.place "
    "AND m.steps <= $3 ORDER BY m.steps LIMIT 1) p ORDER BY p.steps",
    5);
const Statements kAt = statements(
    "SELECT m.steps, date_part('epoch', m.time), m.values",
    "FROM metrics m WHERE m.series_id = $1 AND m.steps = ANY($2::int[]) AND m.steps <= $3 ORDER BY m.steps", 4);

constexpr std::int64_t kValuesAtOnce = 200'000;
constexpr std::int64_t kRowsAtOnce = 20'000;

template <typename Number>
void read_number(const pqxx::field& field, Number& number) {
  std::from_chars(field.c_str(), field.c_str() + field.size(), number);  // SQL's NULL is empty
}

// `parameters` without those of the values' places.
template <typename... Parameters>
std::int64_t take_all(pg::Transaction& tx, const Statements& statements, const RowQuery& query, const TakeRow& take,
                      const Parameters&... parameters) {
  const bool is_one = query.low == query.high;
  const pqxx::result rows = is_one ? run_sql(tx, statements.one, parameters..., query.low)
                                   : run_sql(tx, statements.several, parameters..., query.low, query.high);
  std::vector<double> values;
  for (const auto& row : rows) {
    std::int32_t steps = 0;
    double seconds = 0;
    read_number(row[0], steps);
    read_number(row[1], seconds);
    const pqxx::field numbers = row[2];
    values.clear();
    if (is_one) {
      read_number(numbers, values.emplace_back(absent()));
    } else {
      append_values({numbers.c_str(), numbers.size()}, query.high - query.low + 1, values, absent());
    }
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
  return take_all(tx, kFirst, query, take, query.series, query.after, query.to, most);
}

std::int64_t read_last_rows(pg::Transaction& tx, const RowQuery& query, std::int64_t most, const TakeRow& take) {
  return take_all(tx, kLast, query, take, query.series, query.after, query.to, most);
}

std::int64_t read_spread_rows(pg::Transaction& tx, const RowQuery& query, std::int64_t places, const TakeRow& take) {
  return take_all(tx, kSpread, query, take, query.series, query.after, query.to, places);
}

std::int64_t read_rows_at(pg::Transaction& tx, const RowQuery& query, const std::vector<std::int64_t>& steps,
                          const TakeRow& take) {
  return take_all(tx, kAt, query, take, query.series, int_array(steps), query.to);
}

}  // namespace det::store
