#include "store/metrics/outlined_table.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <tuple>

#include "model/metrics/downsample.h"
#include "store/metrics/series_outline.h"

namespace det::store {
namespace {

// To be outlined while they are read.
constexpr std::int64_t kMostReports = 50'000;
constexpr std::int64_t kMostValues = 5'000'000;

struct Shown {
  OutlinePoint point;
  std::size_t series = 0;  // place in the list
};

enum class Outcome : std::uint8_t { kRead, kTooCoarse, kImpossible };

class OutlinedReader {
 public:
  OutlinedReader(pg::Transaction& tx, const TableQuery& query, const std::vector<TableSeries>& all,
                 const Thinning& thin, std::int64_t block)
      : tx_(tx), query_(query), all_(all), thin_(thin), block_(block) {
    for (const TableSeries& series : all) {
      for (std::size_t i = 0; i < series.places.size(); ++i) {
        if (series.places[i] != 0) reported_.insert(i);
      }
    }
    shown_.resize(query.names.size());
    table_.columns.resize(query.names.size());
  }

  Outcome read();
  [[nodiscard]] MetricTable& table() { return table_; }

 private:
  [[nodiscard]] std::int64_t to(const TableSeries& series) const {
    return std::min(query_.to_steps, series.last_steps);
  }
  [[nodiscard]] bool has_outline(const TableSeries& series) const {
    return series.outlined_to >= std::max(query_.from_steps, series.first_steps) && to(series) >= query_.from_steps;
  }
  // What has no outlines, and the blocks that the ends of what is wanted are in. False: too many reports.
  bool outline_rest(std::size_t series);
  bool outline(std::size_t series, RowQuery rows, std::int64_t most);
  void outline_last(std::size_t series, const RowQuery& rows);
  // All that shows of one name, in order of steps and series. False: an outline is there no more.
  bool collect(std::size_t column);
  void add_rows(std::size_t column);
  void pick(std::size_t column, std::set<std::int64_t>& steps) const;
  void read_whole(const std::set<std::int64_t>& steps);

  pg::Transaction& tx_;
  const TableQuery& query_;
  const std::vector<TableSeries>& all_;
  const Thinning& thin_;
  std::int64_t block_;
  std::set<std::size_t> reported_;         // columns that some series has
  std::vector<std::vector<Shown>> shown_;  // by column
  std::int64_t outlined_ = 0;              // reports, while they were read
  MetricTable table_;
};

// One for each name of the series.
class SeriesOutline {
 public:
  SeriesOutline(const TableSeries& series, const RowQuery& rows, std::int64_t block) : low_(rows.low) {
    for (std::size_t i = 0; i < series.places.size(); ++i) {
      if (series.places[i] == 0) continue;
      columns_.push_back(i);
      places_.push_back(series.places[i]);
      builders_.emplace_back(block);
    }
  }
  void add(std::int32_t steps, double seconds, std::span<const double> values) {
    for (std::size_t i = 0; i < builders_.size(); ++i) {
      builders_[i].add({.steps = steps, .seconds = seconds, .value = values[places_[i] - low_]});
    }
  }
  void finish(std::size_t series, std::vector<std::vector<Shown>>& shown) {
    for (std::size_t i = 0; i < builders_.size(); ++i) {
      for (const OutlinePoint& point : builders_[i].finish()) shown[columns_[i]].push_back({point, series});
    }
  }

 private:
  std::size_t low_;
  std::vector<std::size_t> columns_;
  std::vector<std::size_t> places_;
  std::vector<OutlineBuilder> builders_;
};

bool OutlinedReader::outline(std::size_t place, RowQuery rows, std::int64_t most) {
  const TableSeries& series = all_[place];
  SeriesOutline outline(series, rows, block_);
  const TakeRow take = [&](std::int32_t steps, double seconds, std::span<const double> values) {
    outline.add(steps, seconds, values);
    rows.after = steps;
  };
  const std::int64_t page = std::min(most, page_of(rows));
  for (std::int64_t left = most; left > 0 && rows.after < rows.to;) {
    const std::int64_t read = read_first_rows(tx_, rows, std::min(left, page), take);
    left = read < page ? 0 : left - read;
    outlined_ += read;
    if (outlined_ > kMostReports || outlined_ * std::ssize(reported_) > kMostValues) return false;
  }
  outline.finish(place, shown_);
  return true;
}

void OutlinedReader::outline_last(std::size_t place, const RowQuery& rows) {
  struct Row {
    std::int32_t steps = 0;
    double seconds = 0;
    std::vector<double> values;
  };
  std::vector<Row> last;
  read_last_rows(tx_, rows, block_, [&last](std::int32_t steps, double seconds, std::span<const double> values) {
    last.push_back({steps, seconds, {values.begin(), values.end()}});
  });
  SeriesOutline outline(all_[place], rows, block_);
  for (const Row& row : last | std::views::reverse) outline.add(row.steps, row.seconds, row.values);
  outline.finish(place, shown_);
}

bool OutlinedReader::outline_rest(std::size_t place) {
  const TableSeries& series = all_[place];
  const RowQuery all = rows_of(series, query_.from_steps - 1, to(series));
  if (!has_outline(series)) return outline(place, all, kMostReports + 1);
  RowQuery kept = all;
  kept.to = std::min(all.to, series.outlined_to);
  // A block over the edge of what is wanted may show reports beyond it instead of those within.
  if (query_.from_steps > series.first_steps && !outline(place, kept, block_)) return false;
  if (kept.to < series.outlined_to) {
    outline_last(place, kept);
    return true;
  }
  RowQuery newest = all;
  newest.after = series.outlined_to;
  return outline(place, newest, kMostReports + 1);
}

bool OutlinedReader::collect(std::size_t column) {
  std::vector<Shown> shown;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const TableSeries& series = all_[i];
    if (series.places[column] == 0 || !has_outline(series)) continue;
    const auto points = read_outline(tx_, series.id, block_, series.places[column], query_.from_steps,
                                     std::min(to(series), series.outlined_to));
    if (!points) return false;
    for (const OutlinePoint& point : *points) shown.push_back({point, i});
  }
  shown.insert(shown.end(), shown_[column].begin(), shown_[column].end());
  const auto order = [](const Shown& one) { return std::tuple(one.point.steps, one.series); };
  // Of one series these are in order already: what was outlined while it was read is its newest reports.
  if (!std::ranges::is_sorted(shown, {}, order)) std::ranges::sort(shown, {}, order);
  const auto twice = std::ranges::unique(shown, {}, order);
  shown.erase(twice.begin(), twice.end());
  shown_[column] = std::move(shown);
  return true;
}

void OutlinedReader::add_rows(std::size_t column) {
  for (const Shown& one : shown_[column]) {
    table_.steps.push_back(one.point.steps);
    table_.seconds.push_back(one.point.seconds);
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      table_.columns[i].push_back(i == column ? one.point.value : absent());
    }
  }
  thin_large(table_, query_, thin_);
}

void OutlinedReader::pick(std::size_t column, std::set<std::int64_t>& steps) const {
  std::vector<double> x;
  std::vector<double> y;
  for (const Shown& one : shown_[column]) {
    x.push_back(one.point.steps);
    y.push_back(one.point.value);
  }
  for (const std::size_t i : model::pick_points(x, y, static_cast<std::size_t>(query_.points))) {
    steps.insert(shown_[column][i].point.steps);
  }
}

void OutlinedReader::read_whole(const std::set<std::int64_t>& steps) {
  for (const TableSeries& series : all_) {
    const RowQuery rows = rows_of(series, query_.from_steps - 1, to(series));
    const TakeRow take = appending(table_, series, rows);
    const auto page = static_cast<std::size_t>(page_of(rows));
    std::vector<std::int64_t> some;
    const auto read = [&] {
      if (!some.empty()) read_rows_at(tx_, rows, some, take);
      some.clear();
      thin_large(table_, query_, thin_);
    };
    for (auto at = steps.lower_bound(series.first_steps); at != steps.end() && *at <= rows.to; ++at) {
      some.push_back(*at);
      if (some.size() == page) read();
    }
    read();
  }
  if (all_.size() > 1) merge_series(table_);
}

Outcome OutlinedReader::read() {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (!outline_rest(i)) return Outcome::kImpossible;
  }
  bool shows_enough = false;
  std::set<std::int64_t> steps;
  for (const std::size_t column : reported_) {
    if (!collect(column)) return Outcome::kImpossible;
    shows_enough |= std::ssize(shown_[column]) >= query_.points;
    if (reported_.size() == 1) {
      add_rows(column);
    } else {
      pick(column, steps);
    }
    shown_[column] = {};
  }
  if (!shows_enough) return Outcome::kTooCoarse;
  if (reported_.size() > 1) read_whole(steps);
  return Outcome::kRead;
}

// About how many reports with outlines are wanted, as if steps were even.
double reports_in_outlines(const TableQuery& query, const std::vector<TableSeries>& all) {
  double reports = 0;
  for (const TableSeries& series : all) {
    const double steps = static_cast<double>(series.outlined_to - series.first_steps) + 1;
    const double wanted = static_cast<double>(std::min({query.to_steps, series.last_steps, series.outlined_to}) -
                                              std::max(query.from_steps, series.first_steps)) +
                          1;
    if (steps > 0 && wanted > 0) reports += static_cast<double>(series.outlined) * wanted / steps;
  }
  return reports;
}

}  // namespace

std::optional<MetricTable> read_outlined_table(pg::Transaction& tx, const TableQuery& query,
                                               const std::vector<TableSeries>& all, const Thinning& thin) {
  for (const TableSeries& series : all) {
    if (std::ranges::max(series.places) > kMostOutlinedNames) return std::nullopt;
  }
  const double reports = reports_in_outlines(query, all);
  for (const std::int64_t block : kOutlineBlocks | std::views::reverse) {
    if (reports < static_cast<double>(query.points * block)) continue;
    OutlinedReader reader(tx, query, all, thin, block);
    const Outcome outcome = reader.read();
    if (outcome == Outcome::kRead) return std::move(reader.table());
    if (outcome == Outcome::kImpossible) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace det::store
