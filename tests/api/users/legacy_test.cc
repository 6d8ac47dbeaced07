#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using LegacyUsers = ApiTest;

TEST_F(LegacyUsers, LogInWithAHashedPassword) {
  const json asked = {{"username", "determined"}, {"password", ""}};
  const Answer login = post("/login", asked);
  EXPECT_EQ(login.status, 200);
  EXPECT_FALSE(login.headers.find("Set-Cookie"));
  EXPECT_TRUE(post("/login?cookie=true", asked).headers.find("Set-Cookie"));
  token = login.body()["token"].get<std::string>();
  EXPECT_EQ(get("/users/me").body()["username"], "determined");
  EXPECT_EQ(post("/login", {{"username", "determined"}, {"password", "wrong"}}).status, 401);
  EXPECT_EQ(post("/logout").status, 200);
}

TEST_F(LegacyUsers, AreListed) {
  const json users = get("/users").body();
  ASSERT_EQ(users.size(), 2U);
  EXPECT_EQ(users[0]["username"], "admin");
  EXPECT_EQ(users[0]["admin"], true);
  EXPECT_FALSE(users[0].contains("password_hash"));
  EXPECT_EQ(users[1]["agent_uid"], nullptr);
}

}  // namespace
}  // namespace det::api
