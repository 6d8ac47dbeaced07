#pragma once

// All reports of a trial, a page at a time, as they are needed to write them somewhere: without a tree per report. What
// a page holds is bounded whatever was reported. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

// What all reports of one series have in common.
struct ReportSeries {
  std::int32_t id = 0;
  int run = 0;
  std::string group;
  std::vector<std::string> names;
  std::int64_t last_steps = 0;  // later ones are invisible
};

// A value for each of its series' names: NaN also where the value is no number, and stands in `others`.
struct ReportRow {
  const ReportSeries* series = nullptr;  // of the pages that it came from
  std::int32_t steps = 0;
  WallTime time;
  std::size_t first_value = 0;  // in ReportPage::values
  std::string others;           // JSON object, or empty
  std::string batch_metrics;    // JSON list, or empty
  bool joins = false;           // the same report as the row before, under other names
};

struct ReportPage {
  std::vector<ReportRow> rows;
  std::vector<double> values;

  [[nodiscard]] bool empty() const { return rows.empty(); }
};

class ReportPages {
 public:
  // Of an empty group: all groups.
  ReportPages(pg::Pool& pool, model::TrialId trial, std::string group);
  ~ReportPages();
  ReportPages(const ReportPages&) = delete;
  ReportPages& operator=(const ReportPages&) = delete;

  // The next reports, ordered by group, run and steps; an empty page when there are no more. The page's rows point into
  // this object. kResourceExhausted when there are too many different sets of names to hold.
  Task<Result<ReportPage>> next();

 private:
  struct Source;  // rows of one series that are not given yet
  struct Later;
  struct Fetched;

  Task<Result<std::vector<ReportSeries>>> load_series();
  // Begins with the series of the next group and run; false when there are none.
  bool begin_next();
  // Reads on in each series whose rows are all given.
  Task<Status> refill();
  void give(ReportPage& page);
  static Result<std::vector<Fetched>> fetch(pg::Transaction& tx, const std::vector<Source*>& sources);

  pg::Pool& pool_;
  model::TrialId trial_;
  std::string group_;
  bool is_loaded_ = false;
  std::vector<ReportSeries> series_;
  std::size_t begun_ = 0;                         // of series_
  std::vector<std::unique_ptr<Source>> sources_;  // of one group and run
};

}  // namespace det::store
