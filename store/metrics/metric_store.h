#pragma once

// Reading metrics back. Reports of the same trial, run, group and steps appear as one; what a run reported after the
// checkpoint that a later run started from is invisible. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/ids.h"
#include "pg/pool.h"
#include "store/checkpoints/checkpoint_store.h"
#include "store/metrics/series_keeper.h"
#include "store/metrics/series_summary.h"
#include "store/page.h"
#include "store/trials/trial_rows.h"

namespace det::store {

struct MetricRow {
  model::TrialId trial;
  int run = 0;
  std::string group;
  std::int64_t steps = 0;
  WallTime time;
  nlohmann::json metrics;        // name -> value; NaN and infinities are the wire's strings
  nlohmann::json batch_metrics;  // null or a list
};

struct MetricQuery {
  model::TrialId trial;
  std::string group;                        // empty: all
  std::optional<std::int64_t> after_steps;  // only later ones
  std::int64_t limit = 0;                   // 0: all
};

// Exactly one of the two is set.
struct WorkloadRow {
  std::optional<MetricRow> metrics;  // of group training or validation
  std::optional<CheckpointRow> checkpoint;
};

struct WorkloadQuery {
  model::TrialId trial;
  bool training = true;
  bool validation = true;
  bool checkpoints = true;
  bool deleted_checkpoints = true;
  Order order = Order::kAscending;  // by steps; at the same steps training, validation, checkpoint
  std::string sort_metric;          // by this one, then by steps; what lacks it comes last. Empty: by steps
  Page page;
};

class MetricStore {
 public:
  MetricStore(pg::Pool& pool, SeriesKeeper& keeper) : pool_(pool), keeper_(keeper) {}

  // Ordered by group, then steps, then run.
  Task<Result<std::vector<MetricRow>>> reports(MetricQuery query);
  // Reports without steps (profiler), by time.
  Task<Result<std::vector<MetricRow>>> reports_by_time(model::TrialId trial, std::string group);
  Task<Result<std::optional<ValidationRow>>> latest_validation(model::TrialId trial);
  // By the experiment's searcher metric.
  Task<Result<std::optional<ValidationRow>>> best_validation(model::TrialId trial);
  // These two keep what long series add up to; the first time that takes a while.
  Task<Result<Paged<WorkloadRow>>> workloads(WorkloadQuery query);
  // Numeric metrics only.
  Task<Result<MetricSummaries>> summary(model::TrialId trial);

 private:
  pg::Pool& pool_;
  SeriesKeeper& keeper_;
};

}  // namespace det::store
