#pragma once

// Long reads of metrics: all reports of a trial page by page, and columns for curves. Belongs to the io thread; Pool
// outlives it.

#include <string>
#include <utility>

#include "base/turns.h"
#include "pg/pool.h"
#include "store/metrics/experiment_curves.h"
#include "store/metrics/metric_table.h"
#include "store/metrics/report_pages.h"
#include "store/metrics/series_keeper.h"

namespace det::store {

class MetricSeriesStore {
 public:
  MetricSeriesStore(pg::Pool& pool, SeriesKeeper& keeper) : pool_(pool), keeper_(keeper) {}

  // All reports of a group, or of all groups where it is empty.
  [[nodiscard]] ReportPages pages(model::TrialId trial, std::string group) {
    return ReportPages(pool_, trial, std::move(group));
  }
  // Columns, thinned where they would be too large to hold. Two are read at a time and users take turns: others need
  // the connections, too. What may be read from outlines first has a part of those made that are missing.
  Task<Result<MetricTable>> table(TableQuery query, Thinning thin, std::string user);
  // In turn with those.
  Task<Result<ExperimentCurves>> curves(ExperimentCurvesQuery query, std::string user);

 private:
  pg::Pool& pool_;
  Turns reads_{2};  // by user
  SeriesKeeper& keeper_;
};

}  // namespace det::store
