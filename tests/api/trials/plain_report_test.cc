#include "api/trials/plain_report.h"

#include <gtest/gtest.h>

#include "api/logs/plain_log_lines.h"
#include "wire/request_fields.h"

namespace det::api {
namespace {

std::string report(const std::string& metrics, const std::string& values) {
  return R"({"group": "training", "metrics": {"trialId": 7, "trialRunId": 2, )" + metrics +
         R"("metrics": {"avgMetrics": )" + values + R"(, "batchMetrics": null}}})";
}

TEST(PlainReport, IsWhatTheLongWayReads) {
  const std::string bodies[] = {
      report(R"("stepsCompleted": 100, "reportTime": null, )", R"({"loss": 0.12345678901234567, "batches": 100})"),
      report(R"("stepsCompleted": 0, )", R"({"z": -0.0, "a": -0, "m": 1e-320, "big": 18446744073709551615, "n": -5})"),
      report(R"("reportTime": "2026-11-21T02:43:35.048186+00:00", )", "{}"),
      R"({"group":"validation","metrics":{"trial_id":1,"steps_completed":2147483647,"other":[1,{}],"metrics":{"avg_metrics":{"x":1}}}})",
  };
  for (const std::string& body : bodies) {
    const auto plain = read_plain_report(body);
    ASSERT_TRUE(plain.has_value()) << body;
    const auto slow = parse_any_report(body);
    ASSERT_TRUE(slow.has_value()) << body;
    EXPECT_EQ(*plain, *slow) << body;
  }
}

TEST(PlainReport, LeavesTheUnusualToTheLongWay) {
  const std::string bodies[] = {
      "",
      "[]",
      "{",
      R"({"group":"a.b","metrics":{"trialId":1,"metrics":{"avgMetrics":{}}}})",
      R"({"group":"","metrics":{"trialId":1,"metrics":{"avgMetrics":{}}}})",
      R"({"metrics":{"trialId":1,"metrics":{"avgMetrics":{}}}})",
      R"({"group":"training","metrics":{"metrics":{"avgMetrics":{}}}})",
      R"({"group":"training","metrics":{"trialId":"1","metrics":{"avgMetrics":{}}}})",
      R"({"group":"training","metrics":{"trialId":1,"trial_id":2,"metrics":{"avgMetrics":{}}}})",
      R"({"group":"training","metrics":{"trialId":1,"metrics":{"avgMetrics":{},"batchMetrics":[{"x":1}]}}})",
      report("", R"({"loss": "NaN"})"),
      report("", R"({"loss": [1]})"),
      report("", R"({"loss": 1, "loss": 2})"),
      report("", R"({"a\u0000": 1})"),
      report("", R"({"loss": 1e999})"),
      report("", "null"),
      report(R"("stepsCompleted": 2147483648, )", "{}"),
      report(R"("stepsCompleted": -1, )", "{}"),
      report(R"("stepsCompleted": 1.0, )", "{}"),
      report(R"("reportTime": "yesterday", )", "{}"),
  };
  for (const std::string& body : bodies) EXPECT_FALSE(read_plain_report(body).has_value()) << body;
}

Result<PostedLines> long_way(const std::string& body, WallTime now) {
  const auto json = wire::parse_body(body);
  if (!json) return std::unexpected(json.error());
  return read_posted_lines(*json, now);
}

TEST(PlainLogLines, AreWhatTheLongWayReads) {
  const WallTime now(std::chrono::microseconds(1'700'000'000'000'000));
  const std::string bodies[] = {
      R"({"logs": [{"task_id": "1.a", "allocation_id": "1.a.1", "agent_id": "n", "container_id": "c", "rank_id": 3,
          "timestamp": "2026-11-21T02:43:35.048186+00:00", "level": "LOG_LEVEL_INFO", "stdtype": "stdout",
          "source": "task", "log": "a\u001b[1m \"b\"\u00e9\n"}, {"taskId": "1.a", "log": null}]})",
      R"({"logs":[{"taskId":"1","level":"INFO","rankId":-1,"timestamp":"never","stdtype":"x","log":"no newline"}]})",
  };
  for (const std::string& body : bodies) {
    const auto plain = read_plain_lines(body, now);
    ASSERT_TRUE(plain.has_value()) << body;
    const auto slow = long_way(body, now);
    ASSERT_TRUE(slow.has_value()) << body;
    EXPECT_EQ(*plain, *slow) << body;
  }
}

TEST(PlainLogLines, LeaveTheUnusualToTheLongWay) {
  for (const std::string body :
       {R"({})", R"({"logs":[]})", R"({"logs":[{"log":"x"}]})", R"({"logs":[{"taskId":"1","log":5}]})",
        R"({"logs":[{"taskId":"1","rankId":"2"}]})", R"({"logs":[{"taskId":"1"},{"taskId":"2"}]})",
        R"({"logs":[{"taskId":"1","task_id":"1"}]})", "nonsense"}) {
    EXPECT_FALSE(read_plain_lines(body, WallTime()).has_value()) << body;
  }
}

}  // namespace
}  // namespace det::api
