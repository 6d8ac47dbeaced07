#pragma once

// A few reports of each block of a long series, kept beside what they add up to (series_summary.h), so that a curve of
// it is read in the same time whatever the trial has reported. A detail of MetricStore and MetricSeriesStore.

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

// The outline of one metric, report by report: of each block of reports the smallest and the largest value, both sides
// of a hole, and where values begin to be no numbers; the first and the last one of all. Pure.
class OutlineBuilder {
 public:
  explicit OutlineBuilder(std::int64_t block) : block_(block) {}

  // Steps ascend. A report that lacks the metric, absent() (metric_table.h), counts for the length of its block.
  void add(const OutlinePoint& report);
  // Of all reports so far; ascending.
  [[nodiscard]] std::vector<OutlinePoint> finish();

 private:
  void end_block();
  void show(std::size_t place);

  std::int64_t block_;
  std::int64_t in_block_ = 0;         // reports
  std::vector<OutlinePoint> values_;  // of the block, behind the last one of the blocks before
  bool has_before_ = false;           // whether that is there
  std::vector<OutlinePoint> shown_;
};

// A whole outline: of the name at `place` (from 1), up to these steps.
struct OutlineWish {
  std::int64_t series = 0;
  std::int64_t block = 0;  // one of kOutlineBlocks
  std::int64_t place = 0;
  std::int64_t up_to = 0;
};

// Keeps the outlines of the reports after `after` up to `up_to`. The caller holds the series' row of series_summaries.
void keep_outlines(pg::Transaction& tx, std::int32_t series, std::int64_t after, std::int64_t up_to);

// Of the name at this place (from 1) the points at steps from..to, ascending. `block` is one of kOutlineBlocks. Nothing
// when the reports up to `to` have no outlines any more: one has come late for them.
[[nodiscard]] std::optional<std::vector<OutlinePoint>> read_outline(pg::Transaction& tx, std::int32_t series,
                                                                    std::int64_t block, std::size_t place,
                                                                    std::int64_t from, std::int64_t to);
// The same of many series by one query, in the order of `wishes`; one is empty when it is not there any more.
[[nodiscard]] std::vector<std::vector<OutlinePoint>> read_outlines(pg::Transaction& tx,
                                                                   const std::vector<OutlineWish>& wishes);

}  // namespace det::store
