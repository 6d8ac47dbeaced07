#pragma once

// Reading metrics back. Reports of the same trial, run, group and steps appear as one; what a run reported after the
// checkpoint that a later run started from is invisible. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/ids.h"
#include "pg/pool.h"
#include "store/checkpoint_store.h"
#include "store/page.h"
#include "store/trial_rows.h"

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
  Order order = Order::kAscending;  // by steps; at the same steps training, validation, checkpoint
  Page page;
};

struct MetricSummary {
  std::int64_t count = 0;
  double sum = 0;
  double min = 0;
  double max = 0;
  double last = 0;  // at the largest steps
};

using MetricSummaries = std::map<std::string, std::map<std::string, MetricSummary>>;  // group -> name -> numbers

class MetricStore {
 public:
  explicit MetricStore(pg::Pool& pool) : pool_(pool) {}

  // Ordered by group, then steps, then run.
  Task<Result<std::vector<MetricRow>>> reports(MetricQuery query);
  // Reports without steps (profiler), by time.
  Task<Result<std::vector<MetricRow>>> reports_by_time(model::TrialId trial, std::string group);
  Task<Result<std::optional<ValidationRow>>> latest_validation(model::TrialId trial);
  // By the experiment's searcher metric.
  Task<Result<std::optional<ValidationRow>>> best_validation(model::TrialId trial);
  Task<Result<Paged<WorkloadRow>>> workloads(WorkloadQuery query);
  // Numeric metrics only.
  Task<Result<MetricSummaries>> summary(model::TrialId trial);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
