#include <gmock/gmock.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct UserEdits : ApiTest {
  void log_in(const std::string& name) {
    token = must(authenticator.login({.username = name, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  Answer patch(int id, const json& body) { return call("PATCH", "/api/v1/users/" + std::to_string(id), body.dump()); }
  int login_status(const std::string& name, const std::string& password) {
    return post("/api/v1/auth/login", {{"username", name}, {"password", password}}).status;
  }
};

TEST_F(UserEdits, AdminsChangeEveryField) {
  log_in("admin");
  const Answer changed = patch(2, {{"username", " Grace "}, {"displayName", "G. Hopper"}, {"admin", true}});
  ASSERT_EQ(changed.status, 200) << changed.text;
  const json user = changed.body()["user"];
  EXPECT_EQ(user["username"], "grace");
  EXPECT_EQ(user["displayName"], "G. Hopper");
  EXPECT_EQ(user["admin"], true);
  EXPECT_EQ(get("/api/v1/users?name=hopp&admin=true").body()["users"].size(), 1U);
  EXPECT_EQ(get("/api/v1/users?sortBy=SORT_BY_USER_NAME&orderBy=ORDER_BY_DESC&limit=1").body()["users"][0]["id"], 2);
  EXPECT_EQ(get("/api/v1/users?roleIdAssignedDirectlyToUser=1").error(),
            "cannot filter by role id. RBAC must be enabled.");
  EXPECT_TRUE(get("/api/v1/me").body()["user"].contains("lastAuthAt"));
  EXPECT_EQ(patch(1, {{"admin", false}}).status, 200) << "the other one is one now";
  EXPECT_EQ(patch(1, {{"admin", true}}).status, 403) << "at once";
}

TEST_F(UserEdits, UsersChangeTheirNamesAndPasswordsOnly) {
  EXPECT_EQ(patch(2, {{"displayName", "D."}, {"username", "dora"}, {"password", "Abcdefg1"}}).status, 200);
  EXPECT_EQ(login_status("dora", "Abcdefg1"), 200);
  for (const char* field : {"admin", "active", "remote"}) {
    const Answer refused = patch(2, {{field, true}});
    EXPECT_EQ(refused.status, 403) << field;
    EXPECT_EQ(refused.error(), "only admin privileged users can update users");
  }
  EXPECT_EQ(patch(1, {{"displayName", "x"}}).status, 403);
  EXPECT_EQ(call("PATCH", "/api/v1/users", R"({"activate":false,"userIds":[1]})").status, 403);
}

TEST_F(UserEdits, WithRolesOnesUsernameIsForAdministratorsToChange) {
  services.settings.master.authz.has_roles = true;
  must(role_assignments.ensure_cluster_admin());
  const std::string name = get("/api/v1/me").body()["user"].value("username", "");
  EXPECT_EQ(patch(2, {{"username", "boss"}}).error(),
            "access denied; required permissions: PERMISSION_TYPE_ADMINISTRATE_USER");
  EXPECT_EQ(patch(2, {{"username", name}, {"displayName", "D."}, {"password", "Abcdefg1"}}).status, 200)
      << "what is so already is no change";
  log_in("admin");
  EXPECT_EQ(patch(2, {{"username", "boss"}}).body()["user"]["username"], "boss");
}

TEST_F(UserEdits, NamesThatCouldBeTakenForOthersAreRefused) {
  log_in("admin");
  const auto refusal = [&](const char* field, const std::string& name) { return patch(2, {{field, name}}).error(); };
  EXPECT_EQ(refusal("username", "d\u00e9t"), "Display name and username cannot contain non-ASCII characters.");
  EXPECT_THAT(refusal("username", "d"), HasSubstr("minimum length"));
  EXPECT_EQ(refusal("username", "Admin"), "Non-admin user cannot be renamed 'admin'");
  EXPECT_THAT(refusal("displayName", "a\u001b[31m"), HasSubstr("non-ASCII"));
  EXPECT_THAT(refusal("displayName", std::string(129, 'a')), HasSubstr("up to 128 characters"));
  post("/api/v1/users", {{"user", {{"username", "ada"}, {"displayName", "Lady"}}}});
  EXPECT_EQ(refusal("displayName", "LADY"),
            "can not change display name to LADY found a similar username or display name");
  EXPECT_EQ(refusal("username", "ADA"), "user 'ADA' already exists");
  EXPECT_EQ(patch(3, {{"username", "determined"}}).error(), "User cannot be renamed 'determined'");
  EXPECT_THAT(post("/api/v1/users", {{"user", {{"username", "x"}}}}).error(), HasSubstr("minimum length"));
  const std::string slash = "username: '/' does not work in the name of a user";
  EXPECT_EQ(refusal("username", "team/ada"), slash);
  EXPECT_EQ(post("/api/v1/users", {{"user", {{"username", "team/eve"}}}}).error(), "user." + slash);
}

TEST_F(UserEdits, RemoteUsersHaveNoPassword) {
  log_in("admin");
  EXPECT_EQ(post("/api/v1/users", {{"user", {{"username", "far"}, {"remote", true}}}, {"password", "x"}}).error(),
            "cannot set password for remote user");
  const Answer made =
      post("/api/v1/users",
           {{"user",
             {{"username", "far"},
              {"remote", true},
              {"active", true},
              {"agentUserGroup", {{"agentUid", 5}, {"agentGid", 6}, {"agentUser", "far"}, {"agentGroup", "away"}}}}}});
  ASSERT_EQ(made.status, 200) << made.text;
  EXPECT_EQ(made.body()["user"]["agentUserGroup"]["agentUid"], 5);
  EXPECT_EQ(login_status("far", ""), 401);
  EXPECT_EQ(patch(3, {{"password", "x"}}).error(), "Cannot set password for remote users");
  EXPECT_EQ(call("POST", "/api/v1/users/3/password", R"("x")").error(), "Cannot set password for remote users");
  EXPECT_EQ(patch(3, {{"username", "near"}}).error(), "Cannot set username for remote users");
  EXPECT_EQ(patch(3, {{"remote", false}}).status, 200);
  EXPECT_EQ(login_status("far", ""), 401) << "not blank: nobody knows it";
  EXPECT_EQ(call("POST", "/api/v1/users/3/password", R"("Abcdefg1")").status, 200);
  EXPECT_EQ(login_status("far", "Abcdefg1"), 200);
}

TEST_F(UserEdits, ManyAreActivatedAtOnce) {
  log_in("admin");
  const Answer done = call("PATCH", "/api/v1/users", R"({"activate":false,"userIds":[2,99,1]})");
  ASSERT_EQ(done.status, 200) << done.text;
  EXPECT_EQ(done.body()["results"][0], (json{{"id", 2}, {"error", ""}}));
  EXPECT_EQ(done.body()["results"][1]["error"], "user '99' not found");
  EXPECT_THAT(done.body()["results"][2]["error"].get<std::string>(), HasSubstr("nobody would be left"));
  EXPECT_EQ(login_status("determined", ""), 403);
  EXPECT_EQ(call("PATCH", "/api/v1/users", R"({"activate":true,"userIds":["a"]})").status, 400);
  EXPECT_EQ(call("PATCH", "/api/v1/users", R"({"activate":true,"filters":{"name":"x"}})").status, 501);
}

TEST_F(UserEdits, PagesKeepSettings) {
  const json setting = {{"key", "theme"}, {"storagePath", "ui"}, {"value", "dark"}};
  EXPECT_EQ(post("/api/v1/users/setting", {{"settings", {setting}}}).text, "{}");
  EXPECT_EQ(get("/api/v1/users/setting").body()["settings"], json::array({setting}));
  EXPECT_THAT(post("/api/v1/users/setting", {{"settings", {{{"value", "x"}}}}}).error(), HasSubstr("settings[0].key"));
  EXPECT_EQ(post("/api/v1/users/setting", {{"settings", {{{"key", "k"}, {"value", std::string(65537, 'a')}}}}}).status,
            400);
  EXPECT_EQ(post("/api/v1/users/setting/reset", json::object()).text, "{}");
  EXPECT_EQ(get("/api/v1/users/setting").body()["settings"], json::array());
}

}  // namespace
}  // namespace det::api
