#include "operator/cluster/log_cleaner.h"

#include <algorithm>

namespace det::op {
namespace {

constexpr std::chrono::minutes kAfterFailure{1};
// Wall clocks are set now and then: long waits look again.
constexpr std::chrono::minutes kLongestSleep{10};
constexpr std::chrono::hours kLongestPass{24};

}  // namespace

Task<void> LogCleaner::run() {
  co_await warn_of_held_logs();
  for (;;) {
    const Status passed = co_await pass_when_due();
    if (passed) continue;
    log_.warn("logs were not removed; it is tried again", {{"error", passed.error().message}});
    co_await services_.clock.sleep_for(kAfterFailure);
  }
}

Task<void> LogCleaner::warn_of_held_logs() {
  const auto held = co_await services_.stores.log_retention.held(services_.settings.master.log_retention.days);
  if (!held) {
    log_.warn("logs that are held were not counted", {{"error", held.error().message}});
  } else if (held->tasks > 0) {
    log_.warn(
        "logs of tasks that were started before log_retention_days took effect are kept until an administrator runs "
        "`det task release-logs`",
        {{"tasks", held->tasks}, {"bytes", held->bytes}});
  }
}

Task<Status> LogCleaner::pass_when_due() {
  store::LogRetentionStore& logs = services_.stores.log_retention;
  const model::LogRetention& retention = services_.settings.master.log_retention;
  const auto last = co_await logs.last_pass();
  DET_CO_TRY(last);
  const WallTime due = retention.schedule.next(*last, services_.clock.wall_now());
  for (WallTime now = services_.clock.wall_now(); now < due; now = services_.clock.wall_now()) {
    co_await services_.clock.sleep_for(std::min<std::chrono::nanoseconds>(due - now, kLongestSleep));
  }
  const WallTime began = services_.clock.wall_now();
  const auto removed = co_await logs.remove_expired(retention.days, services_.clock, kLongestPass);
  DET_CO_TRY(removed);
  if (removed->tasks > 0) {
    log_.info("logs were removed, as log_retention_days says",
              {{"tasks", removed->tasks}, {"lines", removed->lines}, {"bytes", removed->bytes}});
  }
  co_return co_await logs.note_pass(began);
}

}  // namespace det::op
