#include "model/cluster/log_retention.h"

#include <algorithm>

#include "base/duration_text.h"

namespace det::model {
namespace {

constexpr std::chrono::seconds kShortest{1};
constexpr std::string_view kEvery = "@every ";

Result<RetentionSchedule> of_duration(std::chrono::nanoseconds every) {
  if (every < kShortest) return fail(ErrorCode::kInvalidArgument, "a duration must be at least 1s");
  return RetentionSchedule{.every = every, .cron = std::nullopt};
}

}  // namespace

Result<RetentionSchedule> RetentionSchedule::parse(std::string_view text) {
  const bool is_every = text.starts_with(kEvery);
  const auto duration = parse_duration_text(is_every ? text.substr(kEvery.size()) : text);
  if (duration) return of_duration(*duration);
  if (is_every) return fail(ErrorCode::kInvalidArgument, "behind @every stands no duration");
  auto cron = CronSchedule::parse(text);
  DET_TRY(cron);
  return RetentionSchedule{.every = {}, .cron = std::move(*cron)};
}

WallTime RetentionSchedule::next(std::optional<WallTime> last, WallTime now) const {
  if (cron) return cron->next(now);
  if (!last) return now;
  const auto due = std::min(*last, now) + std::chrono::duration_cast<std::chrono::microseconds>(every);
  return std::max(due, now);
}

LogRetention read_log_retention(JsonReader& root) {
  JsonReader section = root.object("retention_policy");
  LogRetention retention;
  if (const auto days = section.integer("log_retention_days", {.min = kKeepForEver, .max = kMostRetentionDays})) {
    retention.days = static_cast<int>(*days);
  }
  const auto text = section.string("schedule");
  if (!text || text->empty()) return retention;
  auto schedule = RetentionSchedule::parse(*text);
  if (schedule) {
    retention.schedule = std::move(*schedule);
  } else {
    section.report("schedule", "\"" + *text +
                                   "\" is neither a duration such as \"24h\" nor cron's five fields such as " +
                                   "\"0 3 * * *\": " + schedule.error().message);
  }
  return retention;
}

}  // namespace det::model
