#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Users : CliTest {
  Users() {
    variables = {{"DET_USER", "admin"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
  static std::vector<std::string> link(const std::string& uid, const std::string& gid) {
    return {"u", "link-with-agent-user", "ann b", "--agent-uid",   uid,     "--agent-gid",
            gid, "--agent-user",         "anna",  "--agent-group", "people"};
  }
};

TEST_F(Users, AreLinkedWithAnAccountOfTheNodes) {
  http.answer(200, {{"user", {{"id", 4}}}});
  http.answer(200, {{"user", {{"id", 4}}}});
  const Outcome done = det(link("1001", "0"));
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/users/ann%20b/by-username", "PATCH /api/v1/users/4"));
  EXPECT_EQ(sent(1), (Json{{"agentUserGroup",
                            {{"agentUid", 1001}, {"agentGid", 0}, {"agentUser", "anna"}, {"agentGroup", "people"}}}}));
}

TEST_F(Users, AreLinkedByNumbersThatSystemsKnow) {
  const Outcome negative = det(link("-1", "0"));
  EXPECT_EQ(negative.code, 2);
  EXPECT_THAT(negative.err, HasSubstr("--agent-uid: '-1' is not a whole number from 0 to 2147483647"));
  EXPECT_THAT(det(link("1", "people")).err, HasSubstr("--agent-gid: 'people' is not a whole number from 0"));
  EXPECT_THAT(det(link("2147483648", "0")).err, HasSubstr("--agent-uid: '2147483648' is not"));
  EXPECT_THAT(
      det({"u", "link-with-agent-user", "ann", "--agent-uid", "1", "--agent-gid", "1", "--agent-user", "ann"}).err,
      HasSubstr("--agent-group is required"));
  EXPECT_TRUE(http.requests().empty());
}

TEST_F(Users, AreLinkedByAdministratorsAlone) {
  http.answer(200, {{"user", {{"id", 4}}}});
  http.answer(403, {{"error", {{"code", 7}, {"error", "only admin privileged users can update users"}}}});
  const Outcome refused = det(link("1", "1"));
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("only admin privileged users can update users"));
  http.answer(404, {{"error", {{"code", 5}, {"error", "user 'ann b' not found"}}}});
  EXPECT_THAT(det(link("1", "1")).err, HasSubstr("user 'ann b' not found"));
}

TEST_F(Users, AreEditedFieldByField) {
  http.answer(200, {{"user", {{"id", 4}}}});
  http.answer(200, {{"user", {{"id", 4}}}});
  const Outcome done = det({"u", "edit", "ann", "--admin", "true", "--display-name", "Ann B.", "--active", "false"});
  EXPECT_EQ(done.out, "Changes made to the following fields: Display Name, Active, Admin\n");
  EXPECT_EQ(sent(1), (Json{{"admin", true}, {"displayName", "Ann B."}, {"active", false}}));
  EXPECT_THAT(det({"u", "edit", "ann"}).err, HasSubstr("No field provided. Use 'det user edit -h' for usage."));
  EXPECT_EQ(det({"u", "edit", "ann", "--admin", "perhaps"}).code, 2);
  http.answer(200, {{"user", {{"id", 4}}}});
  http.answer(200, {{"user", {{"id", 4}}}});
  EXPECT_EQ(det({"u", "rename", "ann", "eve"}).code, 0);
  EXPECT_EQ(http.requests().back().body, R"({"username":"eve"})");
}

}  // namespace
}  // namespace det::cli
