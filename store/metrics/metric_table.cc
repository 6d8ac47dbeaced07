#include "store/metrics/metric_table.h"

#include <algorithm>
#include <bit>

#include "store/metrics/outlined_table.h"
#include "store/metrics/table_series.h"

namespace det::store {
namespace {

constexpr std::int64_t kMostRows = 20'000'000;  // read for one table
constexpr std::uint64_t kAbsent = 0x7ff8'0000'6162'7365;

// Appends the series to `table`, page by page; how many reports that were.
Result<std::int64_t> read_reports(pg::Transaction& tx, const TableQuery& query, const TableSeries& series,
                                  const Thinning& thin, MetricTable& table) {
  RowQuery rows = rows_of(series, query.from_steps - 1, std::min(query.to_steps, series.last_steps));
  const TakeRow take = appending(table, series, rows);
  const std::int64_t page = page_of(rows);
  std::int64_t all = 0;
  for (bool has_more = true; has_more;) {
    const std::int64_t read =
        query.spread > 0 ? read_spread_rows(tx, rows, query.spread, take) : read_first_rows(tx, rows, page, take);
    has_more = query.spread == 0 && read == page;
    if (has_more) rows.after = table.steps.back();
    all += read;
    if (all > kMostRows) return too_many_reports(query);
    thin_large(table, query, thin);
  }
  return all;
}

Result<MetricTable> read_series(pg::Transaction& tx, const TableQuery& query, const std::vector<TableSeries>& all,
                                const Thinning& thin) {
  MetricTable table;
  table.columns.resize(query.names.size());
  if (query.is_outlined && query.spread == 0) {
    if (auto outlined = read_outlined_table(tx, query, all, thin)) return std::move(*outlined);
  }
  std::int64_t read = 0;
  for (const TableSeries& series : all) {
    const auto rows = read_reports(tx, query, series, thin, table);
    DET_TRY(rows);
    read += *rows;
    if (read > kMostRows) return too_many_reports(query);
  }
  if (all.size() > 1) merge_series(table);
  return table;
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

void thin_large(MetricTable& table, const TableQuery& query, const Thinning& thin) {
  constexpr std::size_t kManyValues = 3'000'000;
  constexpr std::size_t kFiner = 16;
  if (table.size() * (table.columns.size() + 2) <= kManyValues) return;
  table.keep(thin(table, static_cast<std::size_t>(query.points) * kFiner));
}

Result<MetricTable> read_table(pg::Transaction& tx, const TableQuery& query, const Thinning& thin) {
  const auto all = read_table_series(tx, query);
  DET_TRY(all);
  return read_series(tx, query, *all, thin);
}

Result<std::optional<MetricTable>> read_kept_table(pg::Transaction& tx, const TableQuery& query, const Thinning& thin) {
  const auto all = read_table_series(tx, query);
  DET_TRY(all);
  if (std::ranges::any_of(*all, &TableSeries::is_to_be_kept)) return std::nullopt;
  auto table = read_series(tx, query, *all, thin);
  DET_TRY(table);
  return std::move(*table);
}

}  // namespace det::store
