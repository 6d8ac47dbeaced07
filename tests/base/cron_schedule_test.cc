#include "base/cron_schedule.h"

#include <gtest/gtest.h>

namespace det {
namespace {

std::string next(std::string_view schedule, std::string_view time) {
  const auto read = CronSchedule::parse(schedule);
  EXPECT_TRUE(read) << schedule << ": " << (read ? "" : read.error().message);
  return read ? format_rfc3339_seconds(read->next(*parse_rfc3339(time))) : "";
}

std::string refused(std::string_view schedule) {
  const auto read = CronSchedule::parse(schedule);
  EXPECT_FALSE(read) << schedule;
  return read ? "" : read.error().message;
}

TEST(CronSchedule, ComesAtTheNextMinuteThatEveryFieldMeans) {
  EXPECT_EQ(next("* * * * *", "2026-11-24T10:00:00Z"), "2026-11-24T10:01:00Z") << "never now";
  EXPECT_EQ(next("* * * * *", "2026-11-24T10:00:59.999999Z"), "2026-11-24T10:01:00Z");
  EXPECT_EQ(next("30 2 * * *", "2026-11-24T02:29:59Z"), "2026-11-24T02:30:00Z");
  EXPECT_EQ(next("30 2 * * *", "2026-11-24T02:30:00Z"), "2026-11-25T02:30:00Z");
  EXPECT_EQ(next("5 0 1 1 *", "2026-11-24T10:00:00Z"), "2027-01-01T00:05:00Z");
  EXPECT_EQ(next("0 0 31 * *", "2026-11-01T00:00:00Z"), "2026-12-31T00:00:00Z") << "November has 30 days";
}

TEST(CronSchedule, KnowsListsRangesStepsAndNames) {
  EXPECT_EQ(next("5,10-12 * * * *", "2026-11-24T10:05:00Z"), "2026-11-24T10:10:00Z");
  EXPECT_EQ(next("5,10-12 * * * *", "2026-11-24T10:12:00Z"), "2026-11-24T11:05:00Z");
  EXPECT_EQ(next("*/20 * * * *", "2026-11-24T10:41:00Z"), "2026-11-24T11:00:00Z");
  EXPECT_EQ(next("7/20 * * * *", "2026-11-24T10:28:00Z"), "2026-11-24T10:47:00Z");
  EXPECT_EQ(next("10-30/10 * * * *", "2026-11-24T10:30:00Z"), "2026-11-24T11:10:00Z");
  EXPECT_EQ(next("0 0 ? Feb MON-wed", "2026-11-24T10:00:00Z"), "2027-02-01T00:00:00Z");
  EXPECT_EQ(next("0 0 * * 0", "2026-11-24T10:00:00Z"), "2026-11-29T00:00:00Z") << "a Tuesday, then a Sunday";
  EXPECT_EQ(next("0 0 * * 7", "2026-11-24T10:00:00Z"), "2026-11-29T00:00:00Z");
  EXPECT_EQ(next("0/2147483647 * * * *", "2026-11-24T10:00:00Z"), "2026-11-24T11:00:00Z");
}

TEST(CronSchedule, TakesEitherDayWhereBothAreNamed) {
  EXPECT_EQ(next("0 0 1 * fri", "2026-11-24T10:00:00Z"), "2026-11-27T00:00:00Z");
  EXPECT_EQ(next("0 0 1 * fri", "2026-11-27T10:00:00Z"), "2026-12-01T00:00:00Z");
  EXPECT_EQ(next("0 0 1 * *", "2026-11-24T10:00:00Z"), "2026-12-01T00:00:00Z");
}

TEST(CronSchedule, FindsLeapDaysOverTheCentury) {
  EXPECT_EQ(next("0 0 29 2 *", "2096-03-01T00:00:00Z"), "2104-02-29T00:00:00Z");
}

TEST(CronSchedule, KnowsTheUsualNames) {
  EXPECT_EQ(next("@yearly", "2026-11-24T10:00:00Z"), "2027-01-01T00:00:00Z");
  EXPECT_EQ(next("@monthly", "2026-11-24T10:00:00Z"), "2026-12-01T00:00:00Z");
  EXPECT_EQ(next("@weekly", "2026-11-24T10:00:00Z"), "2026-11-29T00:00:00Z");
  EXPECT_EQ(next("@daily", "2026-11-24T10:00:00Z"), "2026-11-25T00:00:00Z");
  EXPECT_EQ(next("@midnight", "2026-11-24T10:00:00Z"), "2026-11-25T00:00:00Z");
  EXPECT_EQ(next("@Hourly", "2026-11-24T10:00:00Z"), "2026-11-24T11:00:00Z");
}

TEST(CronSchedule, SaysWhatIsWrong) {
  EXPECT_EQ(refused("x"), "cron has 5 fields, this has 1");
  EXPECT_EQ(refused(""), "cron has 5 fields, this has 0");
  EXPECT_EQ(refused("0 0 0 * * *"), "cron has 5 fields, this has 6");
  EXPECT_EQ(refused("60 * * * *"), "its minute is \"60\", not a number from 0 to 59");
  EXPECT_EQ(refused("* -1 * * *"), "its hour is \"\", not a number from 0 to 23");
  EXPECT_EQ(refused("* * 0 * *"), "its day of the month is \"0\", not a number from 1 to 31");
  EXPECT_EQ(refused("* * * foo *"), "its month is \"foo\", not a number from 1 to 12");
  EXPECT_EQ(refused("* * * * 8"), "its day of the week is \"8\", not a number from 0 to 7");
  EXPECT_EQ(refused("5-1 * * * *"), "its minute has the range \"5-1\", which is backwards");
  EXPECT_EQ(refused("*/0 * * * *"), "its minute has a step that is not a number from 1 on");
  EXPECT_EQ(refused(", * * * *"), "its minute is \"\", not a number from 0 to 59");
  EXPECT_EQ(refused("99999999999 * * * *"), "its minute is \"99999999999\", not a number from 0 to 59");
  EXPECT_EQ(refused("0 0 30 2 *"), "no year has such a day");
  EXPECT_EQ(refused("@reboot"), "it is none of the names that cron knows");
  EXPECT_EQ(refused("TZ=Europe/Berlin 0 0 * * *"), "it names a time zone, but is always UTC");
  EXPECT_EQ(refused(std::string(201, '*')), "it is too long");
}

}  // namespace
}  // namespace det
