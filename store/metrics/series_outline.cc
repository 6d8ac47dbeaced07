#include "store/metrics/series_outline.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/encoding.h"
#include "store/metrics/metric_rows.h"
#include "store/metrics/metric_table.h"
#include "store/sql.h"

namespace det::store {
namespace {

// Indexes: series_summaries_pkey, series_outlines_pkey.
const char* const kNames =
    "SELECT cardinality(n.names) FROM series s JOIN metric_names n ON n.id = s.names_id WHERE s.id = $1";
const char* const kKeep =
    "INSERT INTO series_outlines (series_id, block, place, after, up_to, points) "
    "SELECT $1, o.block, o.place, $2, $3, decode(o.points, 'hex') "
    "FROM unnest($4::int[], $5::int[], $6::text[]) AS o (block, place, points)";
const char* const kRead =
    "SELECT o.points FROM series_summaries u LEFT JOIN series_outlines o ON o.series_id = u.series_id "
    "AND o.block = $2 AND o.place = $3 AND o.after < $5 AND o.up_to >= $4 "
    "WHERE u.series_id = $1 AND u.outlined_to >= $5 ORDER BY o.after";
const char* const kReadMany =
    "SELECT c.at, o.points FROM unnest($1::int[], $2::int[], $3::int[], $4::int[]) WITH ORDINALITY "
    "AS c (series, block, place, up_to, at) "
    "JOIN series_summaries u ON u.series_id = c.series AND u.outlined_to >= c.up_to "
    "JOIN series_outlines o ON o.series_id = c.series AND o.block = c.block AND o.place = c.place AND o.after < "
    "c.up_to "
    "ORDER BY c.at, o.after";

// A hole is wider than so many mean distances of the others in its block; model::pick_points has them as wide.
constexpr double kHole = 8;
// So often values begin to be no numbers in a block that shows.
constexpr int kBreaks = 2;
constexpr std::size_t kNamesAtOnce = 100;  // that are outlined in one go

// As they stand in series_outlines.points: steps, seconds and value of each, the lowest byte first.
static_assert(std::endian::native == std::endian::little);
constexpr std::size_t kBytes = sizeof(std::int32_t) + 2 * sizeof(double);

std::string encode(const std::vector<OutlinePoint>& points) {
  std::string bytes(points.size() * kBytes, '\0');
  char* at = bytes.data();
  for (const OutlinePoint& point : points) {
    std::memcpy(at, &point.steps, sizeof point.steps);
    std::memcpy(at + sizeof point.steps, &point.seconds, sizeof point.seconds);
    std::memcpy(at + sizeof point.steps + sizeof point.seconds, &point.value, sizeof point.value);
    at += kBytes;
  }
  return bytes;
}

OutlinePoint decode(const char* at) {
  OutlinePoint point;
  std::memcpy(&point.steps, at, sizeof point.steps);
  std::memcpy(&point.seconds, at + sizeof point.steps, sizeof point.seconds);
  std::memcpy(&point.value, at + sizeof point.steps + sizeof point.seconds, sizeof point.value);
  return point;
}

// Those at steps from..to.
void append_points(const pqxx::field& field, std::int64_t from, std::int64_t to, std::vector<OutlinePoint>& points) {
  const pqxx::binarystring bytes(field);
  for (std::size_t i = 0; i + kBytes <= bytes.size(); i += kBytes) {
    const OutlinePoint point = decode(reinterpret_cast<const char*>(bytes.data()) + i);
    if (point.steps >= from && point.steps <= to) points.push_back(point);
  }
}

// The names from `low` to `high`, counted from 1, of the reports after `after` up to `up_to`.
void keep_some(pg::Transaction& tx, const RowQuery& query) {
  const std::size_t width = query.high - query.low + 1;
  std::vector<OutlineBuilder> builders;  // of each name, the finer outline first
  for (std::size_t i = 0; i < width; ++i) {
    for (const std::int64_t block : kOutlineBlocks) builders.emplace_back(block);
  }
  RowQuery page = query;
  const auto add = [&builders, &page](std::int32_t steps, double seconds, std::span<const double> values) {
    for (std::size_t i = 0; i < builders.size(); ++i) {
      builders[i].add({.steps = steps, .seconds = seconds, .value = values[i / kOutlineBlocks.size()]});
    }
    page.after = steps;
  };
  const std::int64_t most = page_of(page);
  while (read_first_rows(tx, page, most, add) == most) {
  }
  std::vector<std::int64_t> blocks;
  std::vector<std::int64_t> places;
  std::vector<std::string> points;
  for (std::size_t i = 0; i < builders.size(); ++i) {
    std::string bytes = encode(builders[i].finish());
    if (bytes.empty()) continue;
    blocks.push_back(kOutlineBlocks.at(i % kOutlineBlocks.size()));
    places.push_back(static_cast<std::int64_t>(query.low + i / kOutlineBlocks.size()));
    points.push_back(hex_encode(bytes));
  }
  run_sql(tx, kKeep, query.series, query.after, query.to, int_array(blocks), int_array(places), text_array(points));
}

}  // namespace

void OutlineBuilder::add(const OutlinePoint& report) {
  if (!is_absent(report.value)) values_.push_back(report);
  if (++in_block_ == block_) end_block();
}

std::vector<OutlinePoint> OutlineBuilder::finish() {
  end_block();
  if (has_before_) show(0);
  return std::move(shown_);
}

void OutlineBuilder::end_block() {
  in_block_ = 0;
  const std::size_t begin = has_before_ ? 1 : 0;
  if (values_.size() == begin) return;
  std::set<std::size_t> places;
  std::optional<std::size_t> low;
  std::optional<std::size_t> high;
  std::size_t widest = 0;  // behind the widest distance
  int breaks = 0;
  const auto distance = [this](std::size_t i) { return static_cast<double>(values_[i].steps - values_[i - 1].steps); };
  for (std::size_t i = begin; i < values_.size(); ++i) {
    if (i > 0 && (widest == 0 || distance(i) > distance(widest))) widest = i;
    const double value = values_[i].value;
    if (!std::isfinite(value)) {
      const bool begins = i == 0 || std::isfinite(values_[i - 1].value);
      if (begins && ++breaks <= kBreaks) places.insert(i);
      continue;
    }
    if (!low || value < values_[*low].value) low = i;
    if (!high || value > values_[*high].value) high = i;
  }
  if (values_.size() > 2) {
    const double all = static_cast<double>(values_.back().steps - values_.front().steps);
    const double mean = (all - distance(widest)) / static_cast<double>(values_.size() - 2);
    if (distance(widest) > kHole * mean) places.insert({widest - 1, widest});
  }
  if (low) places.insert({*low, *high});
  if (begin == 0) places.insert(0);
  for (const std::size_t place : places) show(place);
  values_.erase(values_.begin(), values_.end() - 1);
  has_before_ = true;
}

void OutlineBuilder::show(std::size_t place) {
  if (shown_.empty() || shown_.back().steps < values_[place].steps) shown_.push_back(values_[place]);
}

void keep_outlines(pg::Transaction& tx, std::int32_t series, std::int64_t after, std::int64_t up_to) {
  const auto names = std::min(run_sql1(tx, kNames, series)[0].as<std::size_t>(), kMostOutlinedNames);
  for (std::size_t low = 1; low <= names; low += kNamesAtOnce) {
    const std::size_t high = std::min(names, low + kNamesAtOnce - 1);
    keep_some(tx, {.series = series, .low = low, .high = high, .after = after, .to = up_to});
  }
}

std::optional<std::vector<OutlinePoint>> read_outline(pg::Transaction& tx, std::int32_t series, std::int64_t block,
                                                      std::size_t place, std::int64_t from, std::int64_t to) {
  const pqxx::result rows = run_sql(tx, kRead, series, block, place, from, to);
  if (rows.empty()) return std::nullopt;
  std::vector<OutlinePoint> found;
  for (const auto& row : rows) {
    if (!row[0].is_null()) append_points(row[0], from, to, found);
  }
  return found;
}

std::vector<std::vector<OutlinePoint>> read_outlines(pg::Transaction& tx, const std::vector<OutlineWish>& wishes) {
  const auto column = [&wishes](std::int64_t OutlineWish::* field) {
    std::vector<std::int64_t> values;
    for (const OutlineWish& wish : wishes) values.push_back(wish.*field);
    return int_array(values);
  };
  std::vector<std::vector<OutlinePoint>> found(wishes.size());
  if (wishes.empty()) return found;
  for (const auto& row : run_sql(tx, kReadMany, column(&OutlineWish::series), column(&OutlineWish::block),
                                 column(&OutlineWish::place), column(&OutlineWish::up_to))) {
    const std::size_t at = row[0].as<std::size_t>() - 1;
    append_points(row[1], 0, wishes[at].up_to, found[at]);
  }
  return found;
}

}  // namespace det::store
