#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Masters : CliTest {
  Masters() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }  // no login in the way
};

TEST_F(Masters, PrintTheirLogs) {
  http.stream_chunks(
      {R"({"result":{"logEntry":{"id":1,"message":"a: b","timestamp":"2026-01-01T00:00:00Z","level":"LOG_LEVEL_INFO"}}})"
       "\n"},
      test::StreamEnd::kEnds);
  EXPECT_EQ(det({"master", "logs", "--tail", "5"}).out, "2026-01-01T00:00:00Z [INFO]: a: b\n");
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/master/logs?follow=false&offset=-5"));
}

TEST_F(Masters, ShowTheirConfiguration) {
  http.answer(200, {{"config", {{"cluster_name", "lab"}}}});
  EXPECT_EQ(det({"master", "config", "show"}).out, "cluster_name: lab\n");
  http.answer(200, {{"config", {{"cluster_name", "lab"}}}});
  EXPECT_EQ(det({"master", "config", "show", "--json"}).out, "{\n  \"cluster_name\": \"lab\"\n}\n");
  EXPECT_THAT(http.asked(), testing::Each("GET /api/v1/master/config"));
}

TEST_F(Masters, TakeAnotherLevelOfTheirLog) {
  http.answer(200, Json::object());
  EXPECT_EQ(det({"master", "config", "set", "--log.level", "DEBUG"}).out,
            "Successfully made changes to the master config.\n");
  EXPECT_EQ(sent(0),
            (Json{{"config", {{"log", {{"level", "LOG_LEVEL_DEBUG"}}}}}, {"fieldMask", {{"paths", {"log.level"}}}}}));
  EXPECT_EQ(det({"master", "config", "set", "--log.level", "LOUD"}).code, kUsage);
  EXPECT_THAT(det({"master", "config", "set"}).err, testing::HasSubstr("at least one argument"));
}

TEST_F(Masters, TellEverybody) {
  http.answer(200, Json::object());
  EXPECT_EQ(
      det({"master", "cluster-message", "set", "-m", "down at noon", "-s", "2026-01-01T00:00:00Z", "-d", "2h"}).code,
      0);
  EXPECT_EQ(sent(0), (Json{{"message", "down at noon"}, {"startTime", "2026-01-01T00:00:00Z"}, {"duration", "2h"}}));
  http.answer(200, {{"clusterMessage", {{"message", "down at noon"}}}});
  EXPECT_EQ(det({"master", "cluster-message", "get"}).out, "clusterMessage:\n  message: down at noon\n\n");
  http.answer(200, Json::object());
  EXPECT_EQ(det({"master", "cluster-message", "clear"}).code, 0);
  EXPECT_THAT(det({"master", "cluster-message", "set", "-m", "x", "-s", "noon"}).err, HasSubstr("must be RFC-3339"));
}

}  // namespace
}  // namespace det::cli
