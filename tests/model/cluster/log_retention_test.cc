#include "model/cluster/log_retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml.h"
#include "model/cluster/master_config.h"

namespace det::model {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

LogRetention read(const std::string& yaml) {
  const auto config = read_master_config(parse_yaml(yaml).value());
  EXPECT_TRUE(config) << (config ? "" : config.error().message);
  if (!config) return {};
  EXPECT_THAT(config->warnings(), testing::IsEmpty());
  return config->config.log_retention;
}

std::string refused(const std::string& yaml) {
  const auto config = read_master_config(parse_yaml(yaml).value());
  EXPECT_FALSE(config);
  return config ? "" : config.error().message;
}

WallTime at(std::string_view text) {
  return *parse_rfc3339(text);
}

TEST(LogRetention, IsForEverUnlessSaidOtherwise) {
  EXPECT_EQ(read("{}"), LogRetention());
  EXPECT_EQ(read("{}").days, -1);
  EXPECT_EQ(read("retention_policy: {log_retention_days: -1}").days, -1);
  EXPECT_EQ(read("retention_policy: {log_retention_days: 0}").days, 0);
  EXPECT_EQ(read("retention_policy: {log_retention_days: 32767, schedule: null}").days, 32767);
}

TEST(LogRetention, RefusesDaysOutsideOfTheRange) {
  EXPECT_THAT(refused("retention_policy: {log_retention_days: -2}"), HasSubstr("retention_policy.log_retention_days"));
  EXPECT_THAT(refused("retention_policy: {log_retention_days: 32768}"),
              HasSubstr("retention_policy.log_retention_days"));
  EXPECT_THAT(refused("retention_policy: {log_retention_days: week}"),
              HasSubstr("retention_policy.log_retention_days"));
}

TEST(LogRetention, TakesADurationOrCronAsItsSchedule) {
  EXPECT_EQ(read("retention_policy: {schedule: 1h30m}").schedule.every, 90min);
  EXPECT_EQ(read("retention_policy: {schedule: '@every 10s'}").schedule.every, 10s);
  EXPECT_EQ(read("retention_policy: {schedule: '0 3 * * *'}").schedule.cron, CronSchedule::parse("0 3 * * *").value());
  EXPECT_EQ(read("retention_policy: {schedule: '@daily'}").schedule.cron, CronSchedule::parse("0 0 * * *").value());
}

TEST(LogRetention, SaysWhatASchedulesWouldBe) {
  EXPECT_THAT(refused("retention_policy: {schedule: x}"),
              HasSubstr("retention_policy.schedule: \"x\" is neither a duration such as \"24h\" nor cron's five fields "
                        "such as \"0 3 * * *\": cron has 5 fields, this has 1"));
  EXPECT_THAT(refused("retention_policy: {schedule: 10ms}"), HasSubstr("a duration must be at least 1s"));
  EXPECT_THAT(refused("retention_policy: {schedule: -1h}"), HasSubstr("a duration must be at least 1s"));
  EXPECT_THAT(refused("retention_policy: {schedule: '@every day'}"), HasSubstr("behind @every stands no duration"));
  EXPECT_THAT(refused("retention_policy: {schedule: '61 * * * *'}"), HasSubstr("its minute is \"61\""));
}

TEST(LogRetention, MakesUpForAMissedPassButNotForOneOfCron) {
  const WallTime now = at("2026-11-24T10:00:00Z");
  const auto hourly = RetentionSchedule::parse("1h").value();
  EXPECT_EQ(hourly.next(std::nullopt, now), now);
  EXPECT_EQ(hourly.next(now - 20min, now), now + 40min);
  EXPECT_EQ(hourly.next(now - 5h, now), now);
  EXPECT_EQ(hourly.next(now + 48h, now), now + 1h) << "the clock was set back";
  const auto nightly = RetentionSchedule::parse("0 3 * * *").value();
  EXPECT_EQ(nightly.next(now - 48h, now), at("2026-11-25T03:00:00Z"));
  EXPECT_EQ(RetentionSchedule().next(now - 1h, now), now + 23h) << "once a day, unless said otherwise";
}

}  // namespace
}  // namespace det::model
