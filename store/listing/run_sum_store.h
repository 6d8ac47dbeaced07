#pragma once

// What the reports of every run add up to, in one table with indexes, so that lists of runs are sorted and filtered by
// metrics. Kept when somebody lists runs, not when reports come in: those of runs that ended once, a minute after their
// end, those of the others when they have reported since, at most every two seconds. Belongs to the io thread; Pool
// outlives it.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/bounded_map.h"
#include "base/turns.h"
#include "model/ids.h"
#include "pg/pool.h"
#include "store/metrics/metric_store.h"

namespace det::store {

class RunSumStore {
 public:
  RunSumStore(pg::Pool& pool, MetricStore& metrics, std::chrono::milliseconds freshness = std::chrono::seconds(2))
      : pool_(pool), metrics_(metrics), freshness_(freshness) {}

  // Brings the table up to date. kUnavailable when there is more to add up of runs that ended than ten seconds are
  // enough for, as after an upgrade with many: what was added up stays, so asking again goes on from there. A run that
  // no statement is long enough for is left out. Of runs that still report, sums may be older where there are
  // thousands.
  Task<Status> refresh();
  // Of these runs, as they were last kept.
  Task<Result<std::map<model::TrialId, MetricSummaries>>> find(std::vector<std::int64_t> trials);

 private:
  static constexpr int kAtOnce = 500;  // runs of one transaction
  struct Picked {
    std::int64_t trial = 0;
    std::string reports;  // another text once there are more
  };
  Task<Status> sum_ended(std::chrono::steady_clock::time_point begin);
  Task<Status> sum_running(std::chrono::steady_clock::time_point begin);
  Task<Status> sum(std::vector<std::int64_t> trials);
  Task<Result<std::vector<Picked>>> pick(const char* statement, std::int64_t after);
  Task<Result<std::vector<std::int64_t>>> find_long_ones(std::vector<std::int64_t> trials);
  Task<Status> keep(std::vector<std::int64_t> trials);
  Task<Status> leave_out(std::int64_t trial, std::string why);

  pg::Pool& pool_;
  MetricStore& metrics_;
  std::chrono::milliseconds freshness_;
  Turns refreshes_{1};
  std::chrono::steady_clock::time_point fresh_until_;
  int at_once_ = kAtOnce;                                       // fewer after a transaction that took too long
  std::int64_t running_from_ = 0;                               // of those that still report, only behind this one
  BoundedMap<std::int64_t, std::string> summed_up_to_{20'000};  // Picked::reports by trial
};

}  // namespace det::store
