#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

struct Activity : ApiTest {
  Answer visit(std::int64_t project, const char* type = "ENTITY_TYPE_PROJECT") {
    return post("/api/v1/users/activity",
                {{"activityType", "ACTIVITY_TYPE_GET"}, {"entityType", type}, {"entityId", project}});
  }
  std::string visited(const std::string& query = "") {
    std::string text;
    const json projects = get("/api/v1/user/projects/activity" + query).body()["projects"];
    for (const json& one : projects) text += std::to_string(one.value("id", 0)) + " ";
    return text;
  }
};

TEST_F(Activity, IsTheProjectsThatSomebodyLookedAtLast) {
  EXPECT_EQ(visited(), "");
  sql("INSERT INTO projects (name, workspace_id, owner_id) VALUES ('ships', 1, 1) RETURNING id");
  EXPECT_EQ(visit(1).text, "{}");
  EXPECT_EQ(visit(2).text, "{}");
  EXPECT_EQ(visited(), "2 1 ");
  EXPECT_EQ(visit(1).text, "{}");
  EXPECT_EQ(visited(), "1 2 ");
  EXPECT_EQ(visited("?limit=1"), "1 ");
  token = must(authenticator.login({.username = "admin", .password = "", .is_hashed = true, .peer = ""})).token;
  EXPECT_EQ(visited(), "") << "somebody else";
}

TEST_F(Activity, SaysWhatIsWrong) {
  EXPECT_EQ(visit(77).error(), "project '77' not found");
  EXPECT_EQ(visit(1, "ENTITY_TYPE_SHIP").error(), "entityType: expected ENTITY_TYPE_PROJECT, got 'ENTITY_TYPE_SHIP'");
  EXPECT_EQ(post("/api/v1/users/activity", json::object()).error(), "missing argument: activityType");
}

TEST_F(Activity, OfAUserIsAskedForByEitherName) {
  EXPECT_EQ(get("/api/v1/auth/user").body(), get("/api/v1/me").body());
}

}  // namespace
}  // namespace det::api
