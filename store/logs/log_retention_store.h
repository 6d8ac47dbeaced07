#pragma once

// Removes the logs of tasks that ended long enough ago, leaving one line that says so, and keeps what was said about
// how long that is. A log goes a bounded number of chunks at a time; whoever is killed in between leaves a log without
// its beginning, which the next pass finishes. Several may remove at once. Belongs to the io thread; Pool outlives it.

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

struct RemovedLogs {
  std::int64_t tasks = 0;  // whose log is gone now
  std::int64_t lines = 0;
  std::int64_t bytes = 0;    // compressed
  bool is_complete = false;  // all was looked at; false: the time was over before
};

struct HeldLogs {
  std::int64_t tasks = 0;
  std::int64_t bytes = 0;  // compressed
};

class LogRetentionStore {
 public:
  explicit LogRetentionStore(pg::Pool& pool) : pool_(pool) {}

  // Removes every log whose time is over at `clock`'s now, for at most `limit`. `default_days` (-1: for ever) is for
  // the tasks about which nothing else is said: not for the trial, nor its experiment, nor in its configuration. What
  // was logged later to a task whose log is gone goes, too.
  Task<Result<RemovedLogs>> remove_expired(int default_days, Clock& clock, std::chrono::nanoseconds limit);

  // Whole days that are left at `now` until the log of a trial's task is removed, 0 when its time is over; -1: it is
  // kept for ever; nothing while the task has not ended. kNotFound.
  Task<Result<std::optional<int>>> days_left(model::TrialId trial, int default_days, WallTime now);

  // Logs that would be removed some day and never are, because their tasks were started before retention was known.
  Task<Result<HeldLogs>> held(int default_days);
  // From now on they are as all others. Returns what was held.
  Task<Result<HeldLogs>> release_held(int default_days);

  // When the last pass began; nothing: there was none.
  Task<Result<std::optional<WallTime>>> last_pass();
  Task<Status> note_pass(WallTime began);

  // -1: for ever, else days after the end of the task. Of an experiment: for all its trials, also those that were given
  // days of their own. kNotFound.
  Task<Status> set_days(model::ExperimentId experiment, int days);
  Task<Status> set_days(model::TrialId trial, int days);

 private:
  struct Step {
    RemovedLogs removed;
    std::optional<std::int32_t> next;  // number of the task after which the next step goes on; nothing: it was the last
  };
  Task<Result<Step>> step(int default_days, WallTime now, std::int32_t after);

  pg::Pool& pool_;
};

}  // namespace det::store
