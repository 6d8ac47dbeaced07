#include "tests/api/fixture.h"

namespace det::api {
namespace {

struct AgentAccounts : ApiTest {
  std::string login(const std::string& name) {
    return must(authenticator.login({.username = name, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  Answer patch(const json& group) { return call("PATCH", "/api/v1/users/2", json{{"agentUserGroup", group}}.dump()); }
};

TEST_F(AgentAccounts, AreSetAndTakenAwayByAdmins) {
  token = login("admin");
  const json group = {{"agentUid", 1234}, {"agentGid", 99}, {"agentUser", "jane"}, {"agentGroup", "ml"}};
  const Answer set = patch(group);
  EXPECT_EQ(set.status, 200) << set.text;
  EXPECT_EQ(set.body().at("/user/agentUserGroup"_json_pointer), group);
  EXPECT_EQ(must(users.find({2}))->agent->uid, 1234);
  EXPECT_EQ(patch(json::object()).body().at("/user/agentUserGroup"_json_pointer), nullptr);
  EXPECT_FALSE(must(users.find({2}))->agent);
}

TEST_F(AgentAccounts, NeedNumbersThatTheKernelKnows) {
  token = login("admin");
  EXPECT_NE(patch({{"agentUid", -1}, {"agentGid", 1}}).error().find("agentUserGroup.agentUid"), std::string::npos);
  EXPECT_EQ(patch({{"agentUid", 4294967296}, {"agentGid", 1}}).status, 400);
}

TEST_F(AgentAccounts, AreWhole) {
  token = login("admin");
  EXPECT_EQ(patch({{"agentUid", 1}, {"agentGid", 1}}).error(),
            "agentUid, agentGid, agentUser and agentGroup cannot be empty");
  EXPECT_EQ(patch({{"agentUid", 1}, {"agentGid", 1}, {"agentUser", ""}, {"agentGroup", "ml"}}).error(),
            "agentUser and agentGroup names cannot be empty");
}

// Else everybody could read everybody's files on the nodes.
TEST_F(AgentAccounts, AreNotForTheirUsersToChoose) {
  token = login("determined");
  EXPECT_EQ(patch({{"agentUid", 0}, {"agentGid", 0}, {"agentUser", "root"}, {"agentGroup", "root"}}).status, 403);
  EXPECT_FALSE(must(users.find({2}))->agent);
}

}  // namespace
}  // namespace det::api
