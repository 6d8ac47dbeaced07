#include <gmock/gmock.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

constexpr const char* kGpus = "/api/v1/resource-pools/gpus/workspace-bindings";

struct PoolBindings : ApiTest {
  void SetUp() override {
    ApiTest::SetUp();
    model::ResourcePool gpus;
    gpus.name = "gpus";
    services.settings.master = model::with_pools(services.settings.master, {gpus});
    become("admin");
    vision = post("/api/v1/workspaces", {{"name", "vision"}}).body()["workspace"].value("id", std::int64_t{0});
  }
  void become(const std::string& user) {
    token = must(authenticator.login({.username = user, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  json pools_of(std::int64_t workspace) {
    return get("/api/v1/workspaces/" + std::to_string(workspace) + "/available-resource-pools").body()["resourcePools"];
  }
  Answer submit(const std::string& pool) {
    return post("/api/v1/experiments", {{"config",
                                         "{name: a, entrypoint: x, searcher: {name: single, metric: loss}, resources: "
                                         "{resource_pool: " +
                                             pool + "}}"},
                                        {"activate", false}});
  }

  std::int64_t vision = 0;
};

TEST_F(PoolBindings, KeepAPoolForAWorkspace) {
  EXPECT_EQ(get(kGpus).body()["workspaceIds"], json::array());
  EXPECT_EQ(pools_of(1), json({"default", "gpus"}));
  EXPECT_EQ(submit("gpus").status, 200);
  const Answer bound = post(kGpus, {{"resourcePoolName", "gpus"}, {"workspaceNames", {"vision"}}});
  EXPECT_EQ(bound.status, 200) << bound.text;
  EXPECT_EQ(get(kGpus).body()["workspaceIds"], json({vision}));
  EXPECT_EQ(get(kGpus).body()["pagination"]["total"], 1);
  EXPECT_EQ(pools_of(1), json({"default"}));
  EXPECT_EQ(pools_of(vision), json({"default", "gpus"}));
  const Answer refused = submit("gpus");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("resource pool gpus does not exist or is not available to workspace ID 1"));
  EXPECT_EQ(submit("default").status, 200);
  EXPECT_EQ(call("PUT", kGpus, R"({"workspaceIds": [1]})").status, 200);
  EXPECT_EQ(get(kGpus).body()["workspaceIds"], json({1}));
  EXPECT_EQ(submit("gpus").status, 200);
  EXPECT_EQ(call("DELETE", kGpus, R"({"workspaceIds": [1]})").status, 200);
  EXPECT_EQ(pools_of(vision), json({"default", "gpus"}));
}

TEST_F(PoolBindings, AreRefusedWhereTheyMeanNothing) {
  const Answer standard = post("/api/v1/resource-pools/default/workspace-bindings", {{"workspaceNames", {"vision"}}});
  EXPECT_EQ(standard.status, 400);
  EXPECT_EQ(standard.error(), "default resource pool default cannot be bound to any workspace");
  EXPECT_EQ(post("/api/v1/resource-pools/nope/workspace-bindings", {{"workspaceIds", {1}}}).status, 404);
  EXPECT_EQ(get("/api/v1/resource-pools/nope/workspace-bindings").status, 404);
  EXPECT_EQ(post(kGpus, {{"workspaceNames", {"nope"}}}).error(), "workspace 'nope' not found");
  EXPECT_EQ(post(kGpus, {{"workspaceNames", "vision"}}).status, 400);
  EXPECT_EQ(call("DELETE", kGpus, R"({"workspaceIds": [1]})").status, 404);
  become("determined");
  EXPECT_EQ(post("/api/v1/resource-pools/default/workspace-bindings", {{"workspaceNames", {"vision"}}}).error(),
            "default resource pool default cannot be bound to any workspace");
  EXPECT_EQ(post(kGpus, {{"workspaceNames", {"vision"}}}).status, 403);
  EXPECT_EQ(get(kGpus).body()["workspaceIds"], json::array());
}

TEST_F(PoolBindings, ShowWhichPoolsAreUnbound) {
  const auto shown = [&] {
    json names = json::array();
    for (const json& pool : get("/api/v1/resource-pools?unbound=true").body()["resourcePools"])
      names.push_back(pool["name"]);
    return names;
  };
  EXPECT_EQ(shown(), json({"default", "gpus"}));
  post(kGpus, {{"workspaceIds", {vision}}});
  EXPECT_EQ(shown(), json({"default"}));
}

TEST_F(PoolBindings, WithRolesHideAPoolFromWhoSeesNoneOfItsWorkspaces) {
  const auto shown = [&](const std::string& path, const std::string& list, const std::string& name) {
    json names = json::array();
    const json body = get(path).body();
    for (const json& one : body[list]) names.push_back(one[name]);
    return names;
  };
  const auto pools = [&] { return shown("/api/v1/resource-pools", "resourcePools", "name"); };
  const auto counted = [&] { return shown("/api/v1/job-queues/stats", "results", "resourcePool"); };
  post(kGpus, {{"workspaceIds", {vision}}});
  services.settings.master.authz.has_roles = true;
  must(role_assignments.ensure_cluster_admin());
  EXPECT_EQ(pools(), json({"default", "gpus"}));
  become("determined");
  EXPECT_EQ(pools(), json({"default"}));
  EXPECT_EQ(counted(), json({"default"}));
  EXPECT_EQ(get("/api/v1/resource-pools").body()["pagination"]["total"], 1);
  const Answer refused = get(kGpus);
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(refused.error(), "resource pool gpus does not exist or is not available to view");
  constexpr model::RoleId kViewer{4};
  must(role_assignments.add({{.role = kViewer, .user = model::UserId{2}, .group = {}, .workspace = {{vision}}}}));
  grants.forget_all();
  EXPECT_EQ(pools(), json({"default", "gpus"}));
  EXPECT_EQ(counted(), json({"default", "gpus"}));
  EXPECT_EQ(get(kGpus).body()["workspaceIds"], json({vision}));
}

TEST_F(PoolBindings, DecideWhichPoolsAWorkspaceMayHaveByDefault) {
  const std::string path = "/api/v1/workspaces/";
  post(kGpus, {{"workspaceIds", {vision}}});
  EXPECT_EQ(call("PATCH", path + std::to_string(vision), R"({"defaultComputeResourcePool": "gpus"})").status, 200);
  const std::int64_t other =
      post("/api/v1/workspaces", {{"name", "other"}}).body()["workspace"].value("id", std::int64_t{0});
  const Answer refused = call("PATCH", path + std::to_string(other), R"({"defaultComputeResourcePool": "gpus"})");
  EXPECT_THAT(refused.error(), HasSubstr("not available to the workspace"));
  EXPECT_NE(post("/api/v1/workspaces", {{"name", "third"}, {"defaultComputePool", "gpus"}}).status, 200);
}

}  // namespace
}  // namespace det::api
