#pragma once

// Points in time as cron writes them: "30 2 * * mon-fri", "@daily". Always UTC, so that no hour comes twice or never.
// Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/wall_time.h"

namespace det {

class CronSchedule {
 public:
  // Five fields (minute, hour, day of the month, month, day of the week), each of them "*", "?", numbers, ranges, lists
  // and steps, months and days also by the first three letters of their English names; or @yearly, @annually,
  // @monthly, @weekly, @daily, @midnight, @hourly. Where both kinds of day are restricted, either is enough. As the
  // package robfig/cron reads them, and Sunday may be 7. kInvalidArgument: what is wrong, without the text itself.
  [[nodiscard]] static Result<CronSchedule> parse(std::string_view text);

  // The first such minute after `time`.
  [[nodiscard]] WallTime next(WallTime time) const;

  bool operator==(const CronSchedule&) const = default;

 private:
  [[nodiscard]] bool has_day(std::chrono::sys_days day) const;
  [[nodiscard]] std::optional<WallTime> search(WallTime time) const;

  // Bit n: the value n is meant.
  std::uint64_t minutes_ = 0;
  std::uint64_t hours_ = 0;
  std::uint64_t days_ = 0;
  std::uint64_t months_ = 0;
  std::uint64_t weekdays_ = 0;
  bool any_day_ = false;
  bool any_weekday_ = false;
};

}  // namespace det
