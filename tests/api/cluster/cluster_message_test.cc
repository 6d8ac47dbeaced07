#include <gmock/gmock.h>

#include "base/log.h"
#include "base/recent_log.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct ClusterMessages : ApiTest {
  ClusterMessages() { log_in("admin"); }
  void log_in(const std::string& user) {
    token = must(authenticator.login({.username = user, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  Answer put(const json& body) { return call("PUT", "/api/v1/master/cluster_message", body.dump()); }
  json shown() { return get("/api/v1/master").body()["clusterMessage"]; }
};

TEST_F(ClusterMessages, AreShownToEverybodyInTheirTime) {
  EXPECT_EQ(get("/api/v1/master/cluster_message").text, "{}");
  EXPECT_EQ(put({{"message", "down at noon"}, {"startTime", "2026-01-01T00:00:00Z"}, {"duration", "876000h"}}).text,
            "{}");
  const json message = get("/api/v1/master/cluster_message").body()["clusterMessage"];
  EXPECT_EQ(message["message"], "down at noon");
  EXPECT_EQ(message["startTime"], "2026-01-01T00:00:00Z");
  token.clear();
  EXPECT_EQ(shown(), message);
  log_in("admin");
  EXPECT_EQ(put({{"message", "later"}, {"startTime", "2100-01-01T00:00:00Z"}}).status, 200);
  EXPECT_EQ(shown(), nullptr) << "its time has not come";
  EXPECT_EQ(get("/api/v1/master/cluster_message").body()["clusterMessage"]["message"], "later");
  EXPECT_EQ(call("DELETE", "/api/v1/master/cluster_message").text, "{}");
  EXPECT_EQ(get("/api/v1/master/cluster_message").text, "{}");
}

TEST_F(ClusterMessages, SayWhatIsWrong) {
  EXPECT_EQ(put(json::object()).error(), "missing argument: message");
  EXPECT_THAT(put({{"message", std::string(251, 'x')}}).error(), HasSubstr("at most 250 characters; got 251"));
  EXPECT_THAT(put({{"message", "x"}, {"startTime", "noon"}}).error(), HasSubstr("startTime: 'noon' is no time"));
  EXPECT_THAT(put({{"message", "x"}, {"endTime", "2020-01-01T00:00:00Z"}}).error(),
              HasSubstr("end time must be after"));
  EXPECT_THAT(put({{"message", "x"}, {"endTime", "2100-01-01T00:00:00Z"}, {"duration", "1h"}}).error(),
              HasSubstr("mutually exclusive"));
  EXPECT_THAT(put({{"message", "x"}, {"duration", "soon"}}).error(), HasSubstr("Go-formatted duration"));
  log_in("determined");
  EXPECT_EQ(put({{"message", "x"}}).status, 403);
  EXPECT_EQ(get("/api/v1/master/cluster_message").status, 403);
  EXPECT_EQ(get("/api/v1/master/logs").status, 200) << "det trial support-bundle asks for it";
}

TEST_F(ClusterMessages, TheMastersLogHasItsLatestLines) {
  const std::string mark = uuid_v4();
  Logger("test").info("something happened", {{"mark", mark}});
  const Answer tail = get("/api/v1/master/logs?offset=-1");
  const json entry = json::parse(tail.text)["result"]["logEntry"];
  EXPECT_EQ(entry["message"], "test: something happened mark=" + mark);
  EXPECT_EQ(entry["level"], "LOG_LEVEL_INFO");
  EXPECT_EQ(entry["id"], latest_line());
  Logger("test").warn("more");
  EXPECT_EQ(json::parse(get("/api/v1/master/logs?offset=-2&limit=1").text)["result"]["logEntry"]["id"], entry["id"]);
  EXPECT_THAT(get("/api/v1/master/logs").text, HasSubstr(mark));
  const json older = get("/logs?tail=2").body();
  ASSERT_EQ(older.size(), 2U);
  EXPECT_EQ(older[0]["id"], entry["id"]);
  EXPECT_EQ(older[1]["level"], "warning");
  EXPECT_EQ(get("/logs?greater_than_id=" + entry["id"].dump()).body(), json::array({older[1]}));
  EXPECT_EQ(get("/logs?tail=-1").status, 400);
  for (std::size_t i = 0; i < kRecentLines; ++i) keep_recent_line(LogLevel::kDebug, "x");
  EXPECT_EQ(recent_lines(0, 1).front().number, latest_line() - static_cast<std::int64_t>(kRecentLines) + 1);
}

}  // namespace
}  // namespace det::api
