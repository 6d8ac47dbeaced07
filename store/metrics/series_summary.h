#pragma once

// What the reports of a trial add up to, and how many there are. For a long series most of it is kept in
// series_summaries and series_sums, so that reading it takes the same time whatever the trial has reported; what came
// since is added up when asked for. A detail of MetricStore and MetricSeriesStore.
//
// How a sum stays right while reports come in: what is going to be added up is claimed first, in a transaction of its
// own that waits for all reports on their way and lets none begin (the writer's statement takes a lock on
// series_summaries that conflicts with the claim's). A report committed before is seen by those who add up; one that
// begins later sees the claim, and when its steps are within it, it deletes what is kept.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

struct MetricSummary {
  std::int64_t count = 0;
  double sum = 0;
  double min = 0;
  double max = 0;
  double last = 0;  // at the largest steps
};

using MetricSummaries = std::map<std::string, std::map<std::string, MetricSummary>>;  // group -> name -> numbers

// Reports of one series that are to join what is kept of it: those after `after` up to `up_to`.
struct SummaryPart {
  std::int32_t series = 0;
  std::int32_t after = -1;  // -1: nothing is kept, or nothing that counts
  std::int32_t up_to = 0;
  std::int32_t visible_up_to = 0;  // a kept sum beyond it counts reports that a restored run made invisible
};

// So many reports of a series that are not kept are cheap to read.
inline constexpr std::int64_t kCheapReports = 2'000;

// Numeric metrics of the visible reports.
[[nodiscard]] MetricSummaries read_summaries(pg::Transaction& tx, model::TrialId trial);

// Visible reports of these groups, with steps. The same steps of one group and run are one report.
[[nodiscard]] std::int64_t count_reports(pg::Transaction& tx, model::TrialId trial,
                                         const std::vector<std::string>& groups);

// Of each series with many reports that are not kept, the next ones; empty when reading is cheap. The newest reports
// stay out: they are those that others may still come late for. Of one group, or of all where it is empty.
[[nodiscard]] std::vector<SummaryPart> parts_to_keep(pg::Transaction& tx, model::TrialId trial,
                                                     const std::string& group);

// The two halves of keeping them, with their outlines (series_outline.h): transactions of their own, in this order.
// Both may be repeated, and others may do the same.
void claim_parts(pg::Transaction& tx, const std::vector<SummaryPart>& parts);
void keep_part(pg::Transaction& tx, const SummaryPart& part);

}  // namespace det::store
