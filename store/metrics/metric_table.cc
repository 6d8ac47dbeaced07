#include "store/metrics/metric_table.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <ranges>
#include <set>

#include "store/metrics/metric_rows.h"
#include "store/metrics/series_outline.h"
#include "store/sql.h"

namespace det::store {
namespace {

// Indexes: series_trial_id_grp_run_names_id_key, metrics_pkey, series_summaries_pkey.
const char* const kSeries =
    "SELECT s.id, s.last_steps, to_json(ARRAY(SELECT coalesce(array_position(n.names, w.name), 0) "
    "FROM unnest($3::text[]) WITH ORDINALITY AS w (name, place) ORDER BY w.place)), s.up_to, s.reports, "
    "coalesce((SELECT min(m.steps) FROM metrics m WHERE m.series_id = s.id), 0) FROM outlined_series s "
    "JOIN metric_names n ON n.id = s.names_id WHERE s.trial_id = $1 AND s.grp = $2 AND n.names && $3::text[] "
    "ORDER BY s.run, s.id LIMIT $4";

constexpr std::int64_t kMostSeries = 1'000;
constexpr std::int64_t kMostRows = 20'000'000;  // read for one table
constexpr std::size_t kManyValues = 3'000'000;  // held of it
constexpr std::size_t kFiner = 16;              // then, times the points
constexpr std::int64_t kValuesAtOnce = 200'000;
constexpr std::int64_t kRowsAtOnce = 20'000;
constexpr std::uint64_t kAbsent = 0x7ff8'0000'6162'7365;

struct Series {
  std::int32_t id = 0;
  std::int64_t first_steps = 0;
  std::int64_t last_steps = 0;
  std::vector<std::size_t> places;  // of each name, from 1; 0: not in it
  std::int64_t outlined_to = -1;    // reports up to these steps have outlines
  std::int64_t outlined = 0;        // how many
};

std::unexpected<Error> too_much(const TableQuery& query) {
  return fail(ErrorCode::kResourceExhausted, "trial " + to_string(query.trial) +
                                                 " has too many reports of the group '" + query.group +
                                                 "' to read at once: ask for a part of its steps");
}

// Reads series one after the other and appends them to one table.
class TableReader {
 public:
  TableReader(pg::Transaction& tx, const TableQuery& query, const Thinning& thin)
      : tx_(tx), query_(query), thin_(thin) {
    table_.columns.resize(query.names.size());
  }

  Status read(const std::vector<Series>& all);
  [[nodiscard]] MetricTable& table() { return table_; }

 private:
  [[nodiscard]] std::int64_t from() const { return query_.from_steps; }
  [[nodiscard]] std::int64_t to(const Series& series) const { return std::min(query_.to_steps, series.last_steps); }
  // Reports a block of the coarsest outline that still shows more than the points of the curve; 0: none does.
  [[nodiscard]] std::int64_t outline_of(const Series& series) const;
  Status read_reports(const Series& series);
  // False: it has none any more, and nothing was read.
  bool read_outline(const Series& series, std::int64_t block);
  // What is only in outlines lacks the other metrics of its report: once all are read, whole reports take its place.
  void complete(const std::vector<Series>& all);
  void thin_large();

  pg::Transaction& tx_;
  const TableQuery& query_;
  const Thinning& thin_;
  MetricTable table_;
  std::int64_t rows_ = 0;
};

RowQuery rows_of(const Series& series, std::int64_t after, std::int64_t to) {
  RowQuery rows{.series = series.id, .low = 0, .high = 0, .after = after, .to = to};
  for (const std::size_t place : series.places) {
    if (place == 0) continue;
    rows.low = rows.low == 0 ? place : std::min(rows.low, place);
    rows.high = std::max(rows.high, place);
  }
  return rows;
}

// Rows at once.
std::int64_t page_of(const RowQuery& rows) {
  const auto width = static_cast<std::int64_t>(rows.high - rows.low + 1);
  return std::clamp<std::int64_t>(kValuesAtOnce / width, 1, kRowsAtOnce);
}

TakeRow appending(MetricTable& table, const Series& series, const RowQuery& rows) {
  return [&table, &series, low = rows.low](std::int32_t steps, double seconds, std::span<const double> values) {
    table.steps.push_back(steps);
    table.seconds.push_back(seconds);
    for (std::size_t i = 0; i < series.places.size(); ++i) {
      table.columns[i].push_back(series.places[i] == 0 ? absent() : values[series.places[i] - low]);
    }
  };
}

// Rows with one metric each. False: there are no outlines any more.
bool append_outlines(pg::Transaction& tx, const Series& series, std::int64_t block, const RowQuery& rows,
                     MetricTable& table) {
  std::vector<std::int64_t> places;
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < series.places.size(); ++i) {
    if (series.places[i] == 0) continue;
    places.push_back(static_cast<std::int64_t>(series.places[i]));
    columns.push_back(i);
  }
  const auto outlines = read_outlines(tx, series.id, block, places, rows.after + 1, rows.to);
  if (!outlines) return false;
  for (std::size_t i = 0; i < outlines->size(); ++i) {
    for (const OutlinePoint& point : (*outlines)[i]) {
      table.steps.push_back(point.steps);
      table.seconds.push_back(point.seconds);
      for (std::size_t column = 0; column < table.columns.size(); ++column) {
        table.columns[column].push_back(column == columns[i] ? point.value : absent());
      }
    }
  }
  return true;
}

// Rows of one series: those of the same steps are one report.
void join_reports(MetricTable& table) {
  std::vector<std::size_t> order(table.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&table](std::size_t i) { return std::pair(table.steps[i], i); });
  std::vector<std::size_t> kept;
  for (const std::size_t i : order) {
    if (kept.empty() || table.steps[kept.back()] != table.steps[i]) {
      kept.push_back(i);
      continue;
    }
    for (auto& column : table.columns) {
      if (is_absent(column[kept.back()])) column[kept.back()] = column[i];
    }
  }
  table.keep(kept);
}

Status TableReader::read_reports(const Series& series) {
  RowQuery rows = rows_of(series, from() - 1, to(series));
  const TakeRow take = appending(table_, series, rows);
  const std::int64_t page = page_of(rows);
  for (bool has_more = true; has_more;) {
    const std::int64_t read =
        query_.spread > 0 ? read_spread_rows(tx_, rows, query_.spread, take) : read_first_rows(tx_, rows, page, take);
    has_more = query_.spread == 0 && read == page;
    if (has_more) rows.after = table_.steps.back();
    rows_ += read;
    if (rows_ > kMostRows) return too_much(query_);
    thin_large();
  }
  return {};
}

void TableReader::thin_large() {
  if (table_.size() * (table_.columns.size() + 2) <= kManyValues) return;
  table_.keep(thin_(table_, static_cast<std::size_t>(query_.points) * kFiner));
}

std::int64_t TableReader::outline_of(const Series& series) const {
  if (!query_.is_outlined || query_.spread > 0 || series.outlined_to < 0) return 0;
  if (std::ranges::max(series.places) > kMostOutlinedNames) return 0;
  const double all = static_cast<double>(series.outlined_to - series.first_steps) + 1;
  const double wanted = static_cast<double>(std::min(to(series), series.outlined_to) -
                                            std::max<std::int64_t>(from(), series.first_steps)) +
                        1;
  const double reports = static_cast<double>(series.outlined) * wanted / all;
  for (const std::int64_t block : kOutlineBlocks | std::views::reverse) {
    if (reports >= static_cast<double>(query_.points * block)) return block;
  }
  return 0;
}

bool TableReader::read_outline(const Series& series, std::int64_t block) {
  const std::int64_t end = std::min(to(series), series.outlined_to);
  MetricTable part;
  part.columns.resize(table_.columns.size());
  RowQuery rows = rows_of(series, from() - 1, end);
  const TakeRow take = appending(part, series, rows);
  if (!append_outlines(tx_, series, block, rows, part)) return false;
  // A block over the edge of what is wanted may show reports beyond it instead of those within.
  read_first_rows(tx_, rows, from() > series.first_steps ? block : 1, take);
  if (end < series.outlined_to) read_last_rows(tx_, rows, block, take);
  rows.after = end;
  rows.to = to(series);
  const std::int64_t page = page_of(rows);
  while (rows.to > rows.after && read_first_rows(tx_, rows, page, take) == page) rows.after = part.steps.back();
  join_reports(part);
  table_.append(part);
  thin_large();
  return true;
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

void TableReader::complete(const std::vector<Series>& all) {
  std::set<std::size_t> reported;  // columns
  for (const Series& series : all) {
    for (std::size_t i = 0; i < series.places.size(); ++i) {
      if (series.places[i] != 0) reported.insert(i);
    }
  }
  if (reported.size() < 2) return;
  std::vector<std::int64_t> steps;
  for (const std::size_t row : thin_(table_, static_cast<std::size_t>(query_.points))) {
    steps.push_back(table_.steps[row]);
  }
  table_.keep({});
  for (const Series& series : all) {
    const RowQuery rows = rows_of(series, from() - 1, to(series));
    read_rows_at(tx_, rows, steps, appending(table_, series, rows));
  }
  if (all.size() > 1) merge(table_);
}

Status TableReader::read(const std::vector<Series>& all) {
  bool has_outline = false;
  for (const Series& series : all) {
    const std::int64_t block = outline_of(series);
    const bool is_outlined = block != 0 && read_outline(series, block);
    if (!is_outlined) DET_TRY(read_reports(series));
    has_outline |= is_outlined;
  }
  if (all.size() > 1) merge(table_);
  if (has_outline) complete(all);
  return {};
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

void MetricTable::append(const MetricTable& other) {
  const auto add = [](auto& column, const auto& more) { column.insert(column.end(), more.begin(), more.end()); };
  add(steps, other.steps);
  add(seconds, other.seconds);
  for (std::size_t i = 0; i < columns.size(); ++i) add(columns[i], other.columns[i]);
}

Result<MetricTable> read_table(pg::Transaction& tx, const TableQuery& query, const Thinning& thin) {
  TableReader reader(tx, query, thin);
  if (query.names.empty()) return std::move(reader.table());
  std::vector<Series> all;
  for (const auto& row :
       run_sql(tx, kSeries, query.trial.value, query.group, text_array(query.names), kMostSeries + 1)) {
    all.push_back({.id = row[0].as<std::int32_t>(),
                   .first_steps = row[5].as<std::int64_t>(),
                   .last_steps = row[1].as<std::int64_t>(),
                   .places = as_json(row[2]).get<std::vector<std::size_t>>(),
                   .outlined_to = row[3].as<std::int64_t>(),
                   .outlined = row[4].as<std::int64_t>()});
  }
  if (std::ssize(all) > kMostSeries) return too_much(query);
  DET_TRY(reader.read(all));
  return std::move(reader.table());
}

}  // namespace det::store
