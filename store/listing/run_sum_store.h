#pragma once

// What the reports of every run add up to, in one table with indexes, so that lists of runs are sorted and filtered by
// metrics. Kept when somebody lists runs, not when reports come in: those of runs that ended once, a minute after their
// end, those of the others each time, at most every two seconds. Belongs to the io thread; Pool outlives it.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/turns.h"
#include "model/ids.h"
#include "pg/pool.h"
#include "store/metrics/metric_store.h"

namespace det::store {

class RunSumStore {
 public:
  RunSumStore(pg::Pool& pool, MetricStore& metrics, std::chrono::milliseconds freshness = std::chrono::seconds(2))
      : pool_(pool), metrics_(metrics), freshness_(freshness) {}

  // Brings the table up to date. kUnavailable when there is more to add up than ten seconds are enough for, as after an
  // upgrade with many runs: what was added up stays, so asking again goes on from there.
  Task<Status> refresh();
  // Of these runs, as they were last kept.
  Task<Result<std::map<model::TrialId, MetricSummaries>>> find(std::vector<std::int64_t> trials);

 private:
  struct Picked {
    std::vector<std::int64_t> trials;
    std::vector<std::int64_t> long_ones;  // with series of which MetricStore keeps sums of its own
  };
  Task<Result<Picked>> pick(std::int64_t after);
  Task<Status> keep(std::vector<std::int64_t> trials);

  pg::Pool& pool_;
  MetricStore& metrics_;
  std::chrono::milliseconds freshness_;
  Turns refreshes_{1};
  std::optional<std::chrono::steady_clock::time_point> fresh_since_;
};

}  // namespace det::store
