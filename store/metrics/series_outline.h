#pragma once

// A few reports of each block of a long series, kept beside what they add up to (series_summary.h), so that a curve of
// it is read in the same time whatever the trial has reported: the smallest and the largest value of each block, and
// what model::pick_points always shows. A detail of MetricStore and MetricSeriesStore.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pg/pool.h"

namespace det::store {

// Reports a block: the finer outline first. Numbers of the database, so they never change.
inline constexpr std::array<std::int64_t, 2> kOutlineBlocks{16, 256};

// Of a series with more names the others have none.
inline constexpr std::size_t kMostOutlinedNames = 1'000;

struct OutlinePoint {
  std::int32_t steps = 0;
  double seconds = 0;  // since 1970
  double value = 0;

  bool operator==(const OutlinePoint&) const = default;
};

// The outline of one metric, report by report. Pure.
class OutlineBuilder {
 public:
  explicit OutlineBuilder(std::int64_t block) : block_(static_cast<std::size_t>(block)) {}

  // Steps ascend.
  void add(const OutlinePoint& report);
  // Of all reports so far; ascending.
  [[nodiscard]] std::vector<OutlinePoint> finish();

 private:
  void end_block();
  void show(std::size_t place);

  std::size_t block_;
  std::vector<OutlinePoint> reports_;  // of the block that is not full, behind the last one of the block before
  bool has_before_ = false;            // whether that is there
  std::vector<OutlinePoint> shown_;
};

// Keeps the outlines of the reports after `after` up to `up_to`. The caller holds the series' row of series_summaries.
void keep_outlines(pg::Transaction& tx, std::int32_t series, std::int64_t after, std::int64_t up_to);

// Of the names at these places (from 1), one list each, the points at steps from..to, ascending. `block` is one of
// kOutlineBlocks. Nothing when the reports up to `to` have no outlines any more: one has come late for them.
[[nodiscard]] std::optional<std::vector<std::vector<OutlinePoint>>> read_outlines(
    pg::Transaction& tx, std::int32_t series, std::int64_t block, const std::vector<std::int64_t>& places,
    std::int64_t from, std::int64_t to);

}  // namespace det::store
