// What a workspace may use at once: a ResourceQuota in the namespace that is its alone.

#include <gmock/gmock.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

constexpr const char* kNotItsOwn = "cannot set quota on a workspace that is not bound to an auto-created namespace";

struct Quotas : ApiTest {
  void SetUp() override {
    ApiTest::SetUp();
    for (const char* name : {"team", "theirs", "others"})
      kubernetes.create(k8s::namespaces(), {{"metadata", {{"name", name}}}});
    become("admin");
    workspace = make("vision");
  }
  void become(const std::string& user) {
    token = must(authenticator.login({.username = user, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  std::int64_t make(const std::string& name) {
    return post("/api/v1/workspaces", {{"name", name}}).body()["workspace"].value("id", std::int64_t{0});
  }
  static std::string path(std::int64_t id, const std::string& rest) {
    return "/api/v1/workspaces/" + std::to_string(id) + rest;
  }
  Answer bind(std::int64_t id, const json& meta) {
    return post(path(id, "/namespace-bindings"), {{"clusterNamespaceMeta", {{"", meta}}}});
  }
  Answer set(std::int64_t id, const json& quota) {
    return post(path(id, "/set-resource-quota"), {{"id", id}, {"clusterQuotaPairs", {{"", quota}}}});
  }
  json shown(std::int64_t id) { return get(path(id, "/get-k8s-resource-quotas")).body()["resourceQuotas"]; }
  json stored(const std::string& ns = "theirs") {
    return kubernetes.find(k8s::resource_quotas(), {.ns = ns, .name = ns + "-quota"});
  }

  std::int64_t workspace = 0;
};

TEST_F(Quotas, AreObjectsThatTheClusterKeepsTo) {
  ASSERT_EQ(bind(workspace, {{"namespace", "theirs"}}).status, 200);
  EXPECT_EQ(shown(workspace), json::object());
  const Answer done = set(workspace, 5);
  EXPECT_EQ(done.text, "{}");
  EXPECT_EQ(stored()["spec"]["hard"], (json{{"requests.nvidia.com/gpu", "5"}}));
  EXPECT_EQ(stored()["metadata"]["labels"]["det-operator.dev/managed-by"], "det-operator");
  EXPECT_EQ(shown(workspace), (json{{"", 5.0}}));
  EXPECT_EQ(set(workspace, 8).status, 200) << "and larger again";
  EXPECT_EQ(set(workspace, 0).status, 200);
  EXPECT_EQ(stored()["spec"]["hard"]["requests.nvidia.com/gpu"], "0");
  become("determined");
  EXPECT_EQ(shown(workspace), (json{{"", 0.0}})) << "everybody sees it";
}

TEST_F(Quotas, CountEachKindOfSlots) {
  ASSERT_EQ(bind(workspace, {{"namespace", "theirs"}}).status, 200);
  model::MasterConfig& master = services.settings.master;
  master.pools["amd"].slot_type = model::SlotType::kRocm;
  master.pools["slow"].slot_type = model::SlotType::kCpu;
  master.pools["slow"].cpu_per_slot = 1.5;
  ASSERT_EQ(set(workspace, 3).status, 200);
  EXPECT_EQ(stored()["spec"]["hard"], (json{{"requests.nvidia.com/gpu", "3"}, {"requests.amd.com/gpu", "3"}}))
      << "a word for CPU makes a cluster refuse pods that name none";
  master.pools.erase("amd");
  master.pods_run_here = true;
  ASSERT_EQ(set(workspace, 3).status, 200);
  EXPECT_EQ(stored()["spec"]["hard"], (json{{"requests.nvidia.com/gpu", "3"}, {"requests.cpu", "4500m"}}));
}

TEST_F(Quotas, AreForANamespaceOfItsOwn) {
  EXPECT_THAT(set(workspace, 5).error(), HasSubstr(kNotItsOwn)) << "bound to none";
  ASSERT_EQ(bind(workspace, {{"namespace", "team"}}).status, 200);
  EXPECT_THAT(set(workspace, 5).error(), HasSubstr("all that have no binding use namespace team"));
  ASSERT_EQ(bind(workspace, {{"namespace", "theirs"}}).status, 200);
  const std::int64_t other = make("speech");
  ASSERT_EQ(bind(other, {{"namespace", "theirs"}}).status, 200);
  const Answer shared = set(workspace, 5);
  EXPECT_EQ(shared.status, 400);
  EXPECT_THAT(shared.error(), HasSubstr("workspace 'speech' is bound to namespace theirs, too"));
  EXPECT_TRUE(kubernetes.all(k8s::resource_quotas()).empty());
}

TEST_F(Quotas, LeaveWhatOthersMadeAlone) {
  ASSERT_EQ(bind(workspace, {{"namespace", "theirs"}}).status, 200);
  kubernetes.create(k8s::resource_quotas(), {{"metadata", {{"name", "administrators"}, {"namespace", "theirs"}}},
                                             {"spec", {{"hard", {{"requests.nvidia.com/gpu", "4"}, {"pods", "9"}}}}}});
  EXPECT_EQ(shown(workspace), (json{{"", 4.0}}));
  EXPECT_THAT(set(workspace, 5).error(), HasSubstr("contains resource quota administrators with GPU request limit 4"));
  EXPECT_EQ(set(workspace, 2).status, 200);
  EXPECT_EQ(shown(workspace), (json{{"", 2.0}})) << "the smallest counts";
  ASSERT_EQ(bind(workspace, {{"namespace", "others"}}).status, 200);
  kubernetes.create(k8s::resource_quotas(), {{"metadata", {{"name", "others-quota"}, {"namespace", "others"}}},
                                             {"spec", {{"hard", {{"requests.nvidia.com/gpu", "4"}}}}}});
  EXPECT_THAT(set(workspace, 2).error(), HasSubstr("was not made by this operator"));
  EXPECT_EQ(stored("others")["spec"]["hard"]["requests.nvidia.com/gpu"], "4");
}

TEST_F(Quotas, AreWholeNumbersOfTheOneCluster) {
  ASSERT_EQ(bind(workspace, {{"namespace", "theirs"}}).status, 200);
  is_as_described = false;
  for (const json& wrong : {json(-5), json(2.5), json("5"), json(nullptr), json(2147483648LL),
                            json(18446744073709551615ULL), json::array({1})}) {
    EXPECT_EQ(set(workspace, wrong).status, 400) << wrong;
  }
  EXPECT_THAT(set(workspace, -5).error(), HasSubstr("greater than or equal to 0"));
  const auto ask = [&](const json& body) { return post(path(workspace, "/set-resource-quota"), body).status; };
  EXPECT_EQ(ask({{"clusterQuotaPairs", {{"c1", 5}}}}), 400);
  EXPECT_EQ(ask({{"clusterQuotaPairs", json::array()}}), 400);
  EXPECT_EQ(ask(json::object()), 400);
  EXPECT_TRUE(kubernetes.all(k8s::resource_quotas()).empty());
}

TEST_F(Quotas, ComeWithANewWorkspace) {
  const json meta = {{"namespace", "theirs"}, {"resourceQuota", 3}};
  const json body = {{"name", "speech"}, {"clusterNamespaceMeta", {{"", meta}}}, {"clusterQuotaPairs", {{"", 3}}}};
  const Answer made = post("/api/v1/workspaces", body);
  ASSERT_EQ(made.status, 200) << made.text;
  EXPECT_EQ(stored()["spec"]["hard"]["requests.nvidia.com/gpu"], "3");
  EXPECT_EQ(post("/api/v1/workspaces", {{"name", "bare"}, {"clusterQuotaPairs", {{"", 3}}}}).status, 400);
  EXPECT_EQ(post("/api/v1/workspaces", {{"name", "third"}, {"clusterNamespaceMeta", {{"", meta}}}}).status, 400)
      << "the namespace is not its alone";
  EXPECT_EQ(sql("SELECT count(*) FROM workspaces WHERE name IN ('bare', 'third')"), "0") << "nothing is half made";
  EXPECT_THAT(call("PATCH", path(workspace, ""), json({{"clusterQuotaPairs", {{"", 3}}}}).dump()).error(),
              HasSubstr("SetResourceQuotas"));
  EXPECT_EQ(bind(workspace, meta).status, 400);
  become("determined");
  EXPECT_EQ(post("/api/v1/workspaces", {{"name", "mine"}, {"clusterQuotaPairs", {{"", 3}}}}).status, 403);
}

TEST_F(Quotas, OfNamespacesThatAreMadeInLocalMode) {
  EXPECT_EQ(bind(workspace, {{"autoCreateNamespace", true}}).status, 501) << "the operator has no rights in a new one";
  services.settings.master.pods_run_here = true;
  const std::string own = "det-workspace-" + std::to_string(workspace);
  const Answer bound = bind(workspace, {{"autoCreateNamespace", true}});
  ASSERT_EQ(bound.status, 200) << bound.text;
  EXPECT_EQ(bound.body()["namespaceBindings"][""]["namespace"], own);
  EXPECT_EQ(bound.body()["namespaceBindings"][""]["autoCreateNamespace"], true);
  EXPECT_EQ(kubernetes.find(k8s::namespaces(), {.ns = {}, .name = own})["metadata"]["name"], own);
  EXPECT_EQ(bind(workspace, {{"autoCreateNamespace", true}}).status, 200) << "it is there already";
  EXPECT_EQ(set(workspace, 2).status, 200);
  EXPECT_EQ(stored(own)["spec"]["hard"]["requests.nvidia.com/gpu"], "2");
  EXPECT_THAT(bind(workspace, {{"autoCreateNamespace", true}, {"namespace", "theirs"}}).error(),
              HasSubstr("cannot specify a namespace"));
  EXPECT_THAT(bind(workspace, {{"autoCreateNamespaceAllClusters", true}, {"clusterName", "c1"}}).error(),
              HasSubstr("cannot specify a cluster name when you request to auto-create a namespace for all clusters"));
  const json meta = {{"autoCreateNamespaceAllClusters", true}};
  const json body = {{"name", "speech"}, {"clusterNamespaceMeta", {{"", meta}}}, {"clusterQuotaPairs", {{"", 1}}}};
  const Answer made = post("/api/v1/workspaces", body);
  ASSERT_EQ(made.status, 200) << made.text;
  EXPECT_EQ(shown(made.body()["workspace"].value("id", std::int64_t{0})), (json{{"", 1.0}}));
  services.settings.master.task_namespaces = {"team"};
  EXPECT_THAT(bind(make("last"), meta).error(), HasSubstr("task_namespaces of master.yaml"));
}

TEST_F(Quotas, AreAdministratorsToSet) {
  ASSERT_EQ(bind(workspace, {{"namespace", "theirs"}}).status, 200);
  become("determined");
  EXPECT_EQ(set(workspace, 5).error(), "only admins may set resource quotas");
  const std::int64_t own = make("own");
  EXPECT_EQ(set(own, 5).status, 403);
  token.clear();
  EXPECT_EQ(set(workspace, 5).status, 401);
}

}  // namespace
}  // namespace det::api
