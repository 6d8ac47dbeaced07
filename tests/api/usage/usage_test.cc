#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/usage/usage_texts.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Usage : ApiTest {
  void add(const std::string& id, const std::string& from, const std::string& to, int slots = 2) {
    sql("INSERT INTO allocation_usage VALUES ('" + id +
        "', 'TRIAL', 2, 'determined', 'vision', 7, '[\"a,b\", \"c\"]', '', " + std::to_string(slots) + ", '" + from +
        "', '" + to + "') RETURNING 1");
  }
  static constexpr const char* kDay = "timestamp_after=2026-03-01T00:00:00Z&timestamp_before=2026-03-02T00:00:00Z";
};

TEST_F(Usage, IsCsvOfRuns) {
  add("t.1", "2026-03-01T01:00:00Z", "2026-03-01T02:30:00Z");
  const Answer raw = get(std::string("/resources/allocation/raw?") + kDay);
  EXPECT_EQ(raw.headers.find("Content-Type").value_or(""), "text/csv");
  EXPECT_EQ(
      raw.text,
      "experiment_id,kind,username,labels,slots,start_time,end_time,seconds\n"
      "7,allocation,determined,\"a\\,b,c\",2,2026-03-01T01:00:00.000000Z,2026-03-01T02:30:00.000000Z,5400.000000\n");
  EXPECT_EQ(get(std::string("/resources/allocation/allocations-csv?") + kDay).text,
            "allocation_id,task_type,username,workspace_name,experiment_id,slots,start_time,end_time,imagepulling_time,"
            "slot_hours,resource_pool\n"
            "t.1,TRIAL,determined,vision,7,2,2026-03-01T01:00:00.000000Z,2026-03-01T02:30:00.000000Z,0.0,3.000000,"
            "default\n");
  const json entries = get(std::string("/api/v1/resources/allocation/raw?") + kDay).body()["resourceEntries"];
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0]["labels"], json::array({"a,b", "c"}));
  EXPECT_EQ(entries[0]["seconds"], 5400);
}

TEST_F(Usage, IsStreamedPastAPage) {
  sql("INSERT INTO allocation_usage SELECT 'r' || i, 'TRIAL', 2, 'u', 'w', NULL, '[]', '', 1, "
      "'2026-03-01T00:00:00Z'::timestamptz + i * interval '1 second', '2026-03-01T12:00:00Z' FROM "
      "generate_series(1, 2500) i RETURNING 1");
  const std::string text = get(std::string("/resources/allocation/allocations-csv?") + kDay).text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 2501);
  EXPECT_EQ(get(std::string("/api/v1/resources/allocation/raw?") + kDay).body()["resourceEntries"].size(), 2500U);
}

TEST_F(Usage, IsAddedUpByDaysAndMonths) {
  add("t.1", "2026-03-01T23:00:00Z", "2026-03-02T01:00:00Z");
  const std::string days =
      "start_date=2026-03-01&end_date=2026-03-02&period=RESOURCE_ALLOCATION_AGGREGATION_PERIOD_DAILY";
  EXPECT_THAT(get("/resources/allocation/aggregated?" + days).text,
              StartsWith("aggregation_type,aggregation_key,date,seconds\n"
                         "experiment_label,\"a,b\",2026-03-01,7200.000000\n"
                         "experiment_label,c,2026-03-01,7200.000000\n"
                         "username,determined,2026-03-01,7200.000000\n"
                         "resource_pool,default,2026-03-01,7200.000000\n"
                         "total,total,2026-03-01,7200.000000\n"));
  const json month =
      get("/api/v1/resources/allocation/"
          "aggregated?start_date=2026-03&end_date=2026-03&period=RESOURCE_ALLOCATION_AGGREGATION_PERIOD_MONTHLY")
          .body()["resourceEntries"];
  ASSERT_EQ(month.size(), 1U);
  EXPECT_EQ(month[0]["periodStart"], "2026-03");
  EXPECT_EQ(month[0]["seconds"], 14400);
  EXPECT_EQ(month[0]["byUsername"], (json{{"determined", 14400}}));
}

TEST_F(Usage, SaysWhatIsWrong) {
  EXPECT_EQ(get("/api/v1/resources/allocation/raw").error(), "missing argument: timestamp_after");
  EXPECT_THAT(get("/api/v1/resources/allocation/raw?timestampAfter=soon&timestampBefore=2026-03-01T00:00:00Z").error(),
              HasSubstr("soon"));
  EXPECT_EQ(
      get("/api/v1/resources/allocation/raw?timestampAfter=2026-03-02T00:00:00Z&timestampBefore=2026-03-01T00:00:00Z")
          .error(),
      "start time cannot be after end time");
  const auto sums = [&](const std::string& query) {
    return get("/api/v1/resources/allocation/aggregated?" + query).error();
  };
  const std::string daily = "&period=RESOURCE_ALLOCATION_AGGREGATION_PERIOD_DAILY";
  EXPECT_THAT(sums("start_date=2026-03-01&end_date=2026-03-01"), HasSubstr("period: expected"));
  EXPECT_EQ(sums("start_date=2026-03&end_date=2026-03-01" + daily), "start_date: expected YYYY-MM-DD, got '2026-03'");
  EXPECT_EQ(sums("start_date=2026-03-01&end_date=2026-02-30" + daily),
            "end_date: expected YYYY-MM-DD, got '2026-02-30'");
  EXPECT_THAT(sums("start_date=1026-03-01&end_date=2026-03-01" + daily), HasSubstr("at most 731 days"));
  EXPECT_EQ(sums("start_date=2026-03-02&end_date=2026-03-01" + daily), "start date cannot be after end date");
  EXPECT_EQ(get("/resources/allocation/raw").status, 400);
}

TEST(UsageTexts, QuoteWhatCsvNeedsQuoted) {
  EXPECT_EQ(csv_line({"a", "b,c", "say \"x\"", "two\nlines", " space", ""}),
            "a,\"b,c\",\"say \"\"x\"\"\",\"two\nlines\",\" space\",\n");
}

}  // namespace
}  // namespace det::api
