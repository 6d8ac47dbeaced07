#pragma once

// What the trials of an experiment measured, side by side. Every answer is bounded. Belongs to the io thread; Pool
// outlives it.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/turns.h"
#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

struct MetricName {
  std::string group;
  std::string name;

  auto operator<=>(const MetricName&) const = default;
};

// What of its configuration says which trials are good.
struct ComparedExperiment {
  model::ExperimentId id;
  std::string searcher;
  std::string metric;
  bool smaller_is_better = true;
  bool is_over = false;
};

struct SnapshotRow {
  model::TrialId trial;
  nlohmann::json hparams;
  double metric = 0;
  std::int64_t steps = 0;
};

struct SnapshotQuery {
  model::ExperimentId experiment;
  MetricName metric;
  std::int64_t from_steps = 0;  // inclusive, both
  std::int64_t to_steps = 0;
};

// The searcher's metric of trials that have ended.
struct EndedTrials {
  struct One {
    nlohmann::json hparams;
    double metric = 0;  // its best
  };

  std::vector<One> some;
  std::int64_t count = 0;  // of all that have one
};

struct BestSoFar {
  model::TrialId trial;
  WallTime time;
  double metric = 0;
};

class ExperimentMetricStore {
 public:
  explicit ExperimentMetricStore(pg::Pool& pool) : pool_(pool) {}

  // In the order of their ids; those that do not exist are left out.
  Task<Result<std::vector<ComparedExperiment>>> compared(std::vector<model::ExperimentId> ids);
  // The different ones, sorted, without those of the profiler; 20,000 of them at most.
  Task<Result<std::vector<MetricName>>> names(std::vector<model::ExperimentId> ids);
  // Where any trial reported the metric, ascending; 100,000 at most. One such read at a time, and users
  // take turns, as with the next one: they look at all reports of an experiment.
  Task<Result<std::vector<std::int64_t>>> steps(model::ExperimentId id, MetricName metric, std::string user);
  // Validations by the searcher's metric, in order of time, each better than all before it; 10,000 at most.
  Task<Result<std::vector<BestSoFar>>> best_so_far(ComparedExperiment experiment, std::string user);
  // By time; 5,000 at most, and 16 MiB of hyperparameters.
  Task<Result<std::vector<SnapshotRow>>> snapshot(SnapshotQuery query);
  // At most `most`, and 16 MiB of hyperparameters, in an order that has nothing to do with when they ran.
  Task<Result<EndedTrials>> ended(model::ExperimentId id, int most);
  // The best trials by the searcher's metric, or those with the longest validated training.
  Task<Result<std::vector<model::TrialId>>> best_trials(model::ExperimentId id, int most);
  Task<Result<std::vector<model::TrialId>>> longest_trials(model::ExperimentId id, int most);

 private:
  Task<Result<std::vector<model::TrialId>>> trials(const char* statement, model::ExperimentId id, int most);

  pg::Pool& pool_;
  Turns long_reads_{1};  // by user
};

}  // namespace det::store
