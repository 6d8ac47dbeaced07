#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kAll = "/api/v1/workspaces";

struct WorkspaceRoutes : ApiTest {
  void become(const std::string& name) {
    token = must(authenticator.login({.username = name, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  void make_user(const std::string& name) {
    must(users.create({.username = name, .display_name = {}, .password_hash = {}}));
  }
  Answer patch(std::int64_t id, const json& body) { return call("PATCH", path(id), body.dump()); }
  static std::string path(std::int64_t id, const std::string& verb = {}) {
    return std::string(kAll) + "/" + std::to_string(id) + verb;
  }
  std::int64_t make(json body) {
    const Answer made = post(kAll, body);
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body()["workspace"].value("id", std::int64_t{0});
  }
  json shown(std::int64_t id) { return get(path(id)).body()["workspace"]; }
  std::int64_t make_project(std::int64_t workspace, const std::string& name) {
    return post(path(workspace, "/projects"), {{"name", name}}).body()["project"].value("id", std::int64_t{0});
  }
  Answer submit(const json& over) {
    json body = {{"config", kConst}, {"activate", true}};
    body.update(over);
    return post("/api/v1/experiments", body);
  }
};

TEST_F(WorkspaceRoutes, MakeThemAndShowThem) {
  const Answer made = post(kAll, {{"name", "vision"},
                                  {"agentUserGroup", nullptr},
                                  {"checkpointStorageConfig", nullptr},
                                  {"defaultAuxPool", nullptr},
                                  {"defaultComputePool", nullptr}});
  EXPECT_EQ(made.status, 200) << made.text;
  EXPECT_EQ(made.body()["namespaceBindings"], json::object()) << "det fails without it";
  const json workspace = made.body()["workspace"];
  EXPECT_EQ(workspace["username"], "determined");
  EXPECT_EQ(workspace["pinned"], true);
  EXPECT_EQ(workspace["state"], "WORKSPACE_STATE_UNSPECIFIED");
  EXPECT_EQ(workspace["checkpointStorageConfig"], nullptr);
  EXPECT_EQ(shown(2), workspace);
  EXPECT_EQ(get(std::string(kAll) + "?pinned=true").body()["workspaces"].size(), 1U);
  EXPECT_EQ(get(std::string(kAll) + "?nameCaseSensitive=vision").body()["workspaces"][0]["id"], 2);
  EXPECT_EQ(get(std::string(kAll) + "?orderBy=ORDER_BY_DESC&sortBy=SORT_BY_NAME").body()["workspaces"][0]["id"], 2);
  EXPECT_EQ(post(path(2, "/unpin")).text, "{}");
  EXPECT_EQ(shown(2)["pinned"], false);
  EXPECT_EQ(post(path(2, "/pin")).text, "{}");
  EXPECT_EQ(get(path(2, "/available-resource-pools")).body()["resourcePools"], json({"default"}));
}

TEST_F(WorkspaceRoutes, RefuseNamesThatAreTakenOrNone) {
  make({{"name", "Vision"}});
  const Answer taken = post(kAll, {{"name", "vision"}});
  EXPECT_EQ(taken.status, 409);
  EXPECT_EQ(taken.error(), "avoid names equal to other workspaces (case-insensitive)");
  EXPECT_EQ(post(kAll, {{"name", ""}}).error(), "name '' must be at least 1 character long");
  EXPECT_EQ(post(kAll, {{"name", "  "}}).error(), "name must contain at least non-whitespace letter");
  EXPECT_THAT(post(kAll, {{"name", std::string(81, 'x')}}).error(), HasSubstr("must be at most 53 character long"));
  EXPECT_EQ(post(kAll, {{"name", "a\x1b[2J"}}).error(), "name must not hold control characters");
  EXPECT_EQ(post(kAll, {{"name", "a\nb"}}).status, 400);
  EXPECT_EQ(sql("SELECT count(*)::text FROM workspaces"), "2");
}

TEST_F(WorkspaceRoutes, ChangeArchiveAndDelete) {
  const auto id = make({{"name", "vision"}});
  // As clients do: with all that they were shown. Most of it is ignored.
  json body = shown(id);
  is_as_described = false;
  body["name"] = "sight";
  EXPECT_EQ(patch(id, body).body()["workspace"]["name"], "sight");
  is_as_described = true;
  EXPECT_EQ(post(path(id, "/archive")).text, "{}");
  EXPECT_EQ(shown(id)["archived"], true);
  EXPECT_EQ(patch(id, body).status, 400);
  EXPECT_EQ(post(path(id, "/projects"), {{"name", "x"}}).error(),
            "workspace (2) is archived and cannot add new projects");
  EXPECT_EQ(post(path(id, "/unarchive")).text, "{}");
  EXPECT_EQ(call("DELETE", path(id)).text, R"({"completed":true})");
  EXPECT_EQ(get(path(id)).error(), "workspace '2' not found");
}

TEST_F(WorkspaceRoutes, AreForTheOwnerAndAdmins) {
  become("admin");
  for (const char* verb : {"/archive", "/unarchive"}) EXPECT_EQ(post(path(1, verb)).status, 400) << "immutable";
  EXPECT_EQ(patch(1, {{"name", "other"}}).error(), "workspace (1) is immutable and cannot have attributes updated");
  EXPECT_EQ(call("DELETE", path(1)).status, 400);
  const auto id = make({{"name", "admins"}});
  become("determined");
  EXPECT_EQ(patch(1, {{"name", "x"}}).error(), "workspace (1) is immutable and cannot have attributes updated");
  EXPECT_EQ(post(path(1, "/archive")).status, 403);
  EXPECT_EQ(patch(id, {{"name", "x"}}).error(), "only admins may set other user's workspaces names");
  EXPECT_EQ(post(path(id, "/archive")).error(), "only admins may archive other user's workspaces");
  EXPECT_EQ(post(path(id, "/unarchive")).error(), "only admins may unarchive other user's workspaces");
  const Answer refused = call("DELETE", path(id));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.error(), "only admins may delete other user's workspaces");
  const auto mine = make({{"name", "mine"}});
  become("admin");
  EXPECT_EQ(patch(mine, {{"name", "still mine"}}).status, 200);
}

TEST_F(WorkspaceRoutes, LetAdminsSayAsWhomTasksRun) {
  const json group = {{"agentUid", 7}, {"agentGid", 8}, {"agentUser", "u"}, {"agentGroup", "g"}};
  const char* refusal = "only admin privileged users can set workspace agent user groups";
  EXPECT_EQ(post(kAll, {{"name", "a"}, {"agentUserGroup", group}}).error(), refusal);
  const auto id = make({{"name", "mine"}});
  EXPECT_EQ(patch(id, {{"agentUserGroup", group}}).error(), refusal);
  become("admin");
  EXPECT_EQ(patch(id, {{"agentUserGroup", group}}).body()["workspace"]["agentUserGroup"], group);
  const json part = {{"agentGid", 9}, {"agentGroup", "h"}};
  EXPECT_EQ(patch(id, {{"agentUserGroup", part}}).body()["workspace"]["agentUserGroup"], part);
  EXPECT_THAT(patch(id, {{"agentUserGroup", {{"agentGid", -1}}}}).error(), HasSubstr("agentUserGroup.agentGid"));
  EXPECT_EQ(patch(id, {{"agentUserGroup", group}}).status, 200);
  become("determined");
  EXPECT_EQ(patch(id, {{"agentUserGroup", group}, {"name", "new"}}).status, 200) << "what it was shown";
  const auto trial = started_trial("mine");
  token = "usermine";
  sql("UPDATE users SET admin = true WHERE id = 2 RETURNING id");
  EXPECT_EQ(post(kAll, {{"name", "b"}, {"agentUserGroup", group}}).error(), refusal) << "a task's token";
}

TEST_F(WorkspaceRoutes, RefuseWhatTheyDoNotActOn) {
  EXPECT_EQ(post(kAll, {{"name", "a"}, {"clusterQuotaPairs", {{"", 5}}}}).status, 403);
  const char* refusal = "unable to bind a resource pool that does not exist or is not available to the workspace";
  EXPECT_EQ(post(kAll, {{"name", "a"}, {"defaultComputePool", "none"}}).error(), refusal);
  const auto id = make({{"name", "a"}});
  EXPECT_EQ(patch(id, {{"defaultAuxResourcePool", "none"}}).error(), refusal);
}

TEST_F(WorkspaceRoutes, KeepKeysOfTheirStorageToThemselves) {
  const json storage = {{"type", "s3"}, {"bucket", "b"}, {"access_key", "id"}, {"secret_key", "very-secret"}};
  const Answer made = post(kAll, {{"name", "vision"}, {"checkpointStorageConfig", storage}});
  EXPECT_EQ(made.status, 200) << made.text;
  EXPECT_THAT(made.text, Not(HasSubstr("very-secret")));
  const json seen = shown(2);
  EXPECT_EQ(seen["checkpointStorageConfig"]["bucket"], "b");
  is_as_described = false;
  EXPECT_EQ(patch(2, seen).status, 200) << "what it was shown";
  is_as_described = true;
  EXPECT_EQ(must(workspaces.for_tasks({2})).defaults.checkpoint_storage, storage);
  json moved = seen["checkpointStorageConfig"];
  moved["bucket"] = "mallorys";
  EXPECT_EQ(patch(2, {{"checkpointStorageConfig", moved}}).status, 400);
  EXPECT_EQ(must(workspaces.for_tasks({2})).defaults.checkpoint_storage, storage);
  EXPECT_THAT(get(kAll).text, Not(HasSubstr("bucket"))) << "lists do not show it";
  EXPECT_EQ(patch(2, {{"checkpointStorageConfig", json::object()}}).body()["workspace"]["checkpointStorageConfig"],
            nullptr);
}

TEST_F(WorkspaceRoutes, RefuseStorageThatNoExperimentCouldUse) {
  EXPECT_EQ(post(kAll, {{"name", "a"}, {"checkpointStorageConfig", {{"type", "s3"}}}}).status, 400);
  const Answer unknown = post(kAll, {{"name", "a"}, {"checkpointStorageConfig", {{"type", "tape"}}}});
  EXPECT_EQ(unknown.status, 400);
  EXPECT_THAT(unknown.error(), HasSubstr("checkpoint_storage"));
  EXPECT_EQ(post(kAll, {{"name", "a"}, {"checkpointStorageConfig", "s3"}}).status, 400);
}

TEST_F(WorkspaceRoutes, PutTheirDefaultsUnderConfigurations) {
  services.settings.master =
      model::read_master_config({{"resource_pools", {{{"pool_name", "gpus"}}, {{"pool_name", "cpus"}}}}})
          .value()
          .config;
  const auto id = make({{"name", "team"},
                        {"defaultComputePool", "gpus"},
                        {"defaultAuxPool", "cpus"},
                        {"checkpointStorageConfig", {{"type", "s3"}, {"bucket", "teams"}}}});
  const auto project = make_project(id, "ships");
  const json bare = {{"name", "a"}, {"entrypoint", "x"}, {"searcher", {{"name", "single"}, {"metric", "loss"}}}};
  const Answer one = submit({{"config", bare.dump()}, {"projectId", project}});
  EXPECT_EQ(one.status, 200) << one.text;
  EXPECT_EQ(one.body()["experiment"]["workspaceName"], "team");
  EXPECT_EQ(one.body()["config"]["resources"]["resource_pool"], "gpus");
  EXPECT_EQ(one.body()["config"]["checkpoint_storage"]["bucket"], "teams");
  json chosen = bare;
  chosen["workspace"] = "team";
  chosen["project"] = "ships";
  chosen["resources"] = {{"resource_pool", "cpus"}};
  chosen["checkpoint_storage"] = {{"type", "s3"}, {"bucket", "own"}};
  const Answer two = submit({{"config", chosen.dump()}});
  EXPECT_EQ(two.body()["experiment"]["projectId"], project) << two.text;
  EXPECT_EQ(two.body()["config"]["resources"]["resource_pool"], "cpus");
  EXPECT_EQ(two.body()["config"]["checkpoint_storage"]["bucket"], "own");
  EXPECT_EQ(submit({{"config", bare.dump()}}).body()["config"]["resources"]["resource_pool"], "default") << "elsewhere";
  const Answer command = post(
      "/api/v1/commands", {{"config", {{"entrypoint", {"true"}}, {"resources", {{"slots", 0}}}}}, {"workspaceId", id}});
  EXPECT_EQ(command.body()["command"]["resourcePool"], "cpus") << command.text;
  EXPECT_EQ(shown(id)["numExperiments"], 2);
  EXPECT_EQ(shown(id)["numProjects"], 1);
}

TEST_F(WorkspaceRoutes, ThatAreArchivedTakeNothingNew) {
  const auto id = make({{"name", "team"}});
  const auto project = make_project(id, "ships");
  const std::string named = std::string(kConst) + "workspace: team\nproject: ships\n";
  const auto parent = submit({{"projectId", project}}).body()["experiment"].value("id", std::int64_t{0});
  post("/api/v1/projects/" + std::to_string(project) + "/archive");
  EXPECT_EQ(submit({{"config", named}}).error(), "project is archived and cannot add new experiments");
  EXPECT_EQ(submit({{"projectId", project}}).status, 400);
  EXPECT_EQ(submit({{"parentId", parent}}).error(), "forking an experiment in an archived workspace/project");
  post(path(id, "/archive"));
  EXPECT_EQ(submit({{"config", named}}).error(), "workspace is archived and cannot add new experiments");
  EXPECT_EQ(get("/api/v1/experiments/" + std::to_string(parent)).body()["experiment"]["parentArchived"], true);
  EXPECT_EQ(post("/api/v1/commands", {{"config", {{"entrypoint", {"true"}}}}, {"workspaceId", id}}).status, 404);
  EXPECT_EQ(submit({{"projectId", 99}}).error(), "project '99' not found");
}

TEST_F(WorkspaceRoutes, DeleteWhatIsInThemInTheBackground) {
  const auto id = make({{"name", "team"}});
  const auto project = make_project(id, "ships");
  const auto experiment = submit({{"projectId", project}}).body()["experiment"].value("id", std::int64_t{0});
  EXPECT_THAT(call("DELETE", path(id)).error(), HasSubstr("not in a terminal state: " + std::to_string(experiment)));
  sql("UPDATE experiments SET state = 'CANCELED', end_time = now() RETURNING id");
  EXPECT_EQ(call("DELETE", path(id)).text, R"({"completed":false})");
  EXPECT_EQ(shown(id)["state"], "WORKSPACE_STATE_DELETING");
  EXPECT_THAT(submit({{"projectId", project}}).error(), HasSubstr("being deleted"));
  EXPECT_EQ(post(path(id, "/projects"), {{"name", "more"}}).error(), "workspace (2) is being deleted");
}

}  // namespace
}  // namespace det::api
