#pragma once

// How long task logs are kept, and when those are removed that have been kept long enough: `retention_policy` of
// master.yaml. Pure.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/cron_schedule.h"
#include "base/json_reader.h"
#include "base/wall_time.h"

namespace det::model {

inline constexpr int kKeepForEver = -1;
inline constexpr int kMostRetentionDays = 32767;

// When logs are removed: at the times of `cron`, else every so often.
struct RetentionSchedule {
  std::chrono::nanoseconds every = std::chrono::hours(24);
  std::optional<CronSchedule> cron;

  // A Go duration of at least a second, "@every" and such a duration, or what CronSchedule reads. kInvalidArgument: why
  // the text is neither.
  [[nodiscard]] static Result<RetentionSchedule> parse(std::string_view text);

  // When the next pass is due, at the earliest `now`. `last`: when the last one began; a pass that was missed is made
  // up for, but not one of cron's, whose hour was chosen with care.
  [[nodiscard]] WallTime next(std::optional<WallTime> last, WallTime now) const;

  bool operator==(const RetentionSchedule&) const = default;
};

struct LogRetention {
  int days = kKeepForEver;  // after the end of a task that says nothing itself
  RetentionSchedule schedule;

  bool operator==(const LogRetention&) const = default;
};

[[nodiscard]] LogRetention read_log_retention(JsonReader& root);

}  // namespace det::model
