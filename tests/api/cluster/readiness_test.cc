#include <gmock/gmock.h>

#include "api/cluster/database_look.h"
#include "tests/api/fixture.h"
#include "tests/support/background.h"
#include "tests/support/fake_clock.h"

namespace det::api {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

using Readiness = ApiTest;

TEST_F(Readiness, WaitsForTheFirstPreparationOfTheDatabaseOnly) {
  token.clear();
  bool is_there = false;
  services.has_database = [&is_there] { return is_there; };
  services.settings.cluster.cluster_id.clear();
  EXPECT_EQ(get("/ready").status, 503);
  services.settings.cluster.cluster_id = "c";
  const Answer away = get("/ready");
  EXPECT_EQ(away.status, 200) << "harnesses behind an Ingress would give up";
  EXPECT_EQ(away.body()["status"], "ready");
  EXPECT_THAT(away.body()["details"]["database"].get<std::string>(), HasSubstr("cannot be reached"));
  EXPECT_EQ(get("/health").body()["database"], "down") << "and nobody waits for one that hangs";
  is_there = true;
  EXPECT_EQ(get("/ready").body(), json({{"status", "ready"}}));
  EXPECT_EQ(get("/health").body()["database"], "up");
}

TEST_F(Readiness, IsOverBeforeTheServerStops) {
  bool is_leaving = false;
  services.is_leaving = [&is_leaving] { return is_leaving; };
  EXPECT_EQ(get("/ready").status, 200);
  is_leaving = true;
  EXPECT_EQ(get("/ready").status, 503);
  EXPECT_EQ(get("/api/v1/experiments").status, 200) << "who was sent here is served";
}

TEST(DatabaseLook, KnowsTheLastAnswerAndDoesNotWaitForTheNext) {
  asio::io_context io;
  test::FakeClock clock(io);
  bool answer = true;
  seconds takes{0};
  DatabaseLook look(clock, [&]() -> Task<bool> {
    if (takes > seconds(0)) co_await clock.sleep_for(takes);
    co_return answer;
  });
  EXPECT_TRUE(look.is_there()) << "nobody has asked yet";
  test::Background background(io);
  background.start(look.run());
  clock.settle();
  EXPECT_TRUE(look.is_there());
  answer = false;
  clock.advance(seconds(5));
  EXPECT_FALSE(look.is_there());
  answer = true;
  clock.advance(seconds(5));
  EXPECT_TRUE(look.is_there());
  takes = seconds(20);  // packets go nowhere
  clock.advance(seconds(6));
  EXPECT_TRUE(look.is_there());
  clock.advance(seconds(4));
  EXPECT_FALSE(look.is_there());
  clock.advance(seconds(20));
  EXPECT_TRUE(look.is_there());
}

}  // namespace
}  // namespace det::api
