// Workspaces that are bound to namespaces: what is started in them goes there.

#include <gmock/gmock.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct Namespaces : ApiTest {
  void SetUp() override {
    ApiTest::SetUp();
    kubernetes.create(k8s::namespaces(), {{"metadata", {{"name", "theirs"}}}});
    become("admin");
    workspace = post("/api/v1/workspaces", {{"name", "vision"}}).body()["workspace"].value("id", std::int64_t{0});
    ASSERT_EQ(post(path("/projects"), {{"name", "ships"}}).status, 200);
  }
  void become(const std::string& user) {
    token = must(authenticator.login({.username = user, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  [[nodiscard]] std::string path(const std::string& rest) const {
    return "/api/v1/workspaces/" + std::to_string(workspace) + rest;
  }
  Answer bind(const json& meta) {
    return post(path("/namespace-bindings"), {{"workspaceId", workspace}, {"clusterNamespaceMeta", meta}});
  }
  Answer bind_to(const std::string& ns) { return bind({{"", {{"namespace", ns}}}}); }
  Answer unbind() { return call("DELETE", path("/namespace-bindings?clusterNames=")); }
  std::string bound() { return get(path("/list-namespace-bindings")).body()["namespaceBindings"][""]["namespace"]; }
  std::string namespace_of(std::int64_t experiment) {
    return sql("SELECT namespace FROM experiments WHERE id = " + std::to_string(experiment));
  }

  std::int64_t workspace = 0;
};

TEST_F(Namespaces, AreWhereItsWorkIsStarted) {
  EXPECT_EQ(bound(), "team") << "the server's own";
  const Answer done = bind_to("theirs");
  EXPECT_EQ(done.status, 200) << done.text;
  EXPECT_EQ(done.body()["namespaceBindings"][""]["namespace"], "theirs");
  EXPECT_EQ(bound(), "theirs");
  become("determined");
  const std::int64_t there = create(std::string(kConst) + "workspace: vision\nproject: ships\n");
  EXPECT_EQ(namespace_of(there), "theirs");
  const k8s::ObjectKey key{.ns = "theirs", .name = "exp-" + std::to_string(there)};
  EXPECT_EQ(kubernetes.find(k8s::experiments(), key)["metadata"]["namespace"], "theirs");
  EXPECT_EQ(post("/api/v1/experiments/" + std::to_string(there) + "/pause").status, 200);
  EXPECT_EQ(kubernetes.find(k8s::experiments(), key)["spec"]["suspend"], true) << "and where it is changed";
  EXPECT_EQ(namespace_of(create()), "team") << "of another workspace";
  const Answer command = post("/api/v1/commands", {{"config", {{"entrypoint", {"true"}}}}, {"workspaceId", workspace}});
  ASSERT_EQ(command.status, 200) << command.text;
  EXPECT_EQ(sql("SELECT namespace FROM standalone_tasks"), "theirs");
  EXPECT_EQ(kubernetes.all(k8s::tasks(), "theirs").size(), 1U);
}

TEST_F(Namespaces, AreMadeForManyAtOnce) {
  const auto unbound = [&] {
    return get("/api/v1/namespace-bindings/workspace-ids-with-default-bindings").body()["workspaceIds"];
  };
  const auto make = [&](const json& ids) {
    return post("/api/v1/namespace-bindings/bulk-auto-create", {{"workspaceIds", ids}});
  };
  EXPECT_EQ(unbound(), (json{1, workspace}));
  EXPECT_EQ(make({workspace}).status, 501) << "in a cluster";
  services.settings.master.pods_run_here = true;
  EXPECT_EQ(make({workspace, 99}).status, 404);
  EXPECT_EQ(unbound(), (json{1, workspace})) << "nothing is half made";
  become("determined");
  EXPECT_EQ(make({workspace}).status, 403);
  become("admin");
  EXPECT_EQ(make({workspace}).status, 200);
  EXPECT_EQ(unbound(), json{1});
  EXPECT_EQ(bound(), "det-workspace-" + std::to_string(workspace));
  EXPECT_EQ(make({workspace}).status, 200) << "it is bound already";
}

TEST_F(Namespaces, AreGivenBack) {
  EXPECT_EQ(unbind().status, 404);
  ASSERT_EQ(bind_to("theirs").status, 200);
  const std::int64_t there = create(std::string(kConst) + "workspace: vision\nproject: ships\n");
  EXPECT_EQ(call("DELETE", path("/namespace-bindings?clusterNames=c1")).status, 400);
  EXPECT_EQ(unbind().text, "{}");
  EXPECT_EQ(bound(), "team");
  EXPECT_EQ(namespace_of(there), "theirs") << "what was started stays";
  EXPECT_EQ(namespace_of(create(std::string(kConst) + "workspace: vision\nproject: ships\n")), "team");
}

TEST_F(Namespaces, ComeWithAWorkspaceThatIsMadeOrChanged) {
  const json meta = {{"", {{"namespace", "theirs"}, {"autoCreateNamespace", false}, {"resourceQuota", nullptr}}}};
  const Answer made = post("/api/v1/workspaces", {{"name", "speech"}, {"clusterNamespaceMeta", meta}});
  EXPECT_EQ(made.body()["namespaceBindings"][""]["namespace"], "theirs") << made.text;
  const Answer changed = call("PATCH", path(""), json({{"clusterNamespaceMeta", meta}}).dump());
  EXPECT_EQ(changed.body()["namespaceBindings"][""]["namespace"], "theirs") << changed.text;
  EXPECT_EQ(bound(), "theirs");
  become("determined");
  EXPECT_EQ(post("/api/v1/workspaces", {{"name", "mine"}, {"clusterNamespaceMeta", meta}}).error(),
            "only admins may set workspace bindings");
}

TEST_F(Namespaces, AreNotBoundBySavingWhatWasShown) {
  const auto save = [&](const std::string& ns) {
    const Answer saved = call("PATCH", path(""),
                              json({{"name", "sight"}, {"clusterNamespaceMeta", {{"", {{"namespace", ns}}}}}}).dump());
    EXPECT_EQ(saved.body()["namespaceBindings"][""]["namespace"], ns) << saved.text;
  };
  services.settings.master.task_namespaces = {"lab"};  // not that of the server
  save("team");
  EXPECT_EQ(get("/api/v1/namespace-bindings/workspace-ids-with-default-bindings").body()["workspaceIds"],
            (json{1, workspace}));
  EXPECT_EQ(unbind().status, 404);
  services.settings.master.task_namespaces = {"team"};
  ASSERT_EQ(bind_to("team").status, 200);
  services.settings.master.task_namespaces = {"lab"};
  save("team");
  EXPECT_EQ(unbind().status, 200) << "whoever asked for it has it";
}

TEST_F(Namespaces, AreOnlyThoseWhereTheOperatorRunsPods) {
  EXPECT_EQ(bind_to("nowhere").error(), "namespace 'nowhere' does not exist");
  for (const char* wrong : {"", "Big", "a/b", "../kube-system", "-a", "a."}) {
    EXPECT_THAT(bind_to(wrong).error(), HasSubstr("not a name of a namespace")) << wrong;
  }
  EXPECT_THAT(bind({{"c1", {{"namespace", "theirs"}}}}).error(), HasSubstr("cluster 'c1' does not exist"));
  EXPECT_EQ(bind({{"", {{"autoCreateNamespace", true}}}}).status, 501);
  EXPECT_EQ(bind(json::object()).status, 400);
  EXPECT_EQ(bind({{"", {{"namespace", 7}}}}).status, 400);
  services.settings.master.task_namespaces = {"team", "lab"};
  EXPECT_THAT(bind_to("theirs").error(), HasSubstr("experiments do not run in namespace theirs"));
  EXPECT_EQ(bind_to("lab").status, 200) << "the chart has seen to it";
  services.settings.master.task_namespaces = {"team"};
  EXPECT_THAT(post("/api/v1/experiments",
                   {{"config", std::string(kConst) + "workspace: vision\nproject: ships\n"}, {"activate", false}})
                  .error(),
              HasSubstr("experiments do not run in namespace lab"))
      << "it is enabled no longer";
  services.settings.only_ns = "team";
  EXPECT_THAT(bind_to("theirs").error(), HasSubstr("looks after namespace team only"));
}

TEST_F(Namespaces, AreAdministratorsToGive) {
  become("determined");
  const auto own = post("/api/v1/workspaces", {{"name", "own"}}).body()["workspace"].value("id", std::int64_t{0});
  const json body = {{"clusterNamespaceMeta", {{"", {{"namespace", "theirs"}}}}}};
  EXPECT_EQ(post("/api/v1/workspaces/" + std::to_string(own) + "/namespace-bindings", body).status, 403);
  EXPECT_EQ(bind_to("theirs").status, 403);
  EXPECT_EQ(unbind().status, 403);
}

}  // namespace
}  // namespace det::api
