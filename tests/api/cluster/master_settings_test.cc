#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/cluster/log_level_store.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct MasterSettings : ApiTest {
  MasterSettings() {
    token = must(authenticator.login({.username = "admin", .password = "", .is_hashed = true, .peer = ""})).token;
  }
  Answer patch(const json& log, const json& mask) {
    return call("PATCH", "/api/v1/master/config", json{{"config", {{"log", log}}}, {"fieldMask", mask}}.dump());
  }
};

TEST_F(MasterSettings, ChangeTheLevelOfTheLog) {
  const Answer changed = patch({{"level", "LOG_LEVEL_DEBUG"}}, {{"paths", {"log.level"}}});
  EXPECT_EQ(changed.status, 200) << changed.text;
  EXPECT_TRUE(changed.body()["config"].is_object());
  EXPECT_EQ(patch({{"level", "LOG_LEVEL_INFO"}, {"color", false}}, "log.level,log.color").status, 200);
}

TEST_F(MasterSettings, SayWhatIsWrong) {
  EXPECT_THAT(patch({{"level", "LOUD"}}, {{"paths", {"log.level"}}}).error(), HasSubstr("got 'LOUD'"));
  EXPECT_THAT(patch({{"level", "LOG_LEVEL_INFO"}}, {{"paths", {"port"}}}).error(),
              HasSubstr("'port' cannot be changed"));
  EXPECT_THAT(patch({{"level", "LOG_LEVEL_INFO"}}, nullptr).error(), HasSubstr("names nothing to change"));
  EXPECT_EQ(call("PATCH", "/api/v1/master/config", R"({"config":5,"fieldMask":"log.color"})").error(),
            "config: expected an object, got 5");
  EXPECT_EQ(patch(5, {{"paths", {"log.color"}}}).error(), "config.log: expected an object, got 5");
  const Answer colors = patch({{"color", true}}, {{"paths", {"log.color"}}});
  EXPECT_EQ(colors.status, 501);
  EXPECT_THAT(colors.error(), HasSubstr("has no colors"));
  token = must(authenticator.login({.username = "determined", .password = "", .is_hashed = true, .peer = ""})).token;
  EXPECT_EQ(patch({{"level", "LOG_LEVEL_INFO"}}, {{"paths", {"log.level"}}}).status, 403);
}

TEST(LogLevels, TravelAsWords) {
  EXPECT_EQ(store::level_of_payload("debug"), LogLevel::kDebug);
  EXPECT_EQ(store::level_of_payload("loud"), std::nullopt);
}

}  // namespace
}  // namespace det::api
