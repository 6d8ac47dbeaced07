// Writes: what is accepted, what is refused and how, what deletion does.

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/local/kubeapi/kubeapi_fixture.h"

namespace det::local::test {
namespace {

using nlohmann::json;

using Objects = KubeApi;

json size_schema() {
  return json::parse(R"({"type":"object","required":["size"],"properties":{
    "size":{"type":"integer","minimum":1},"mode":{"type":"string","default":"slow"}}})");
}

json widget(const json& spec) {
  return {{"apiVersion", "example.com/v1"}, {"kind", "Widget"}, {"metadata", {{"name", "w"}}}, {"spec", spec}};
}

TEST_F(Objects, NeedTheToken) {
  const Answer anonymous = call("GET", kConfigMaps, nullptr, {{"Authorization", ""}});
  EXPECT_EQ(anonymous.status, 401);
  EXPECT_EQ(anonymous.body["reason"], "Unauthorized");
  EXPECT_EQ(call("GET", "/api", nullptr, {{"Authorization", "Bearer wrong"}}).status, 401);
  EXPECT_EQ(call("GET", "/readyz", nullptr, {{"Authorization", ""}}).status, 200);
}

TEST_F(Objects, ACustomResourceIsCheckedDefaultedAndPruned) {
  made(kDefinitions, definition(size_schema()));
  const Answer wrong = create(kWidgets, widget("text"));
  EXPECT_EQ(wrong.status, 422);
  EXPECT_EQ(
      wrong.message(),
      R"(Widget.example.com "w" is invalid: spec: Invalid value: "string": spec in body must be of type object: "string")");
  EXPECT_EQ(wrong.body["details"]["causes"][0]["field"], "spec");
  const Answer strict = create(std::string(kWidgets) + "?fieldValidation=Strict", widget({{"size", 1}, {"typo", 1}}));
  EXPECT_EQ(strict.status, 400);
  EXPECT_TRUE(strict.message().contains("strict decoding error: unknown field \"spec.typo\"")) << strict.message();
  const Answer warned = create(kWidgets, widget({{"size", 1}, {"typo", 1}}));
  EXPECT_EQ(warned.status, 201);
  EXPECT_EQ(warned.header("warning"), R"(299 - "unknown field \"spec.typo\"")");
  EXPECT_EQ(warned.body["spec"], json::parse(R"({"mode":"slow","size":1})"));
  EXPECT_EQ(warned.body["metadata"]["generation"], 1);
}

// What is filled in goes into what people wrote, of whatever type that is.
TEST_F(Objects, WhatIsNoObjectWhereOneIsFilledInIsRefused) {
  const std::string secrets = "/api/v1/namespaces/default/secrets";
  const std::string namespaces = "/api/v1/namespaces";
  for (const json& data : {json("x"), json::array({"a"})}) {
    EXPECT_EQ(create(secrets, {{"metadata", {{"name", "s"}}}, {"data", data}, {"stringData", {{"a", "b"}}}}).status,
              422);
  }
  const Answer number = create(secrets, {{"metadata", {{"name", "s"}}}, {"stringData", {{"port", 5432}}}});
  EXPECT_EQ(number.status, 422);
  EXPECT_TRUE(number.message().contains("stringData.port")) << number.message();
  for (const json& labels : {json("x"), json::array({"x"})}) {
    EXPECT_EQ(create(namespaces, {{"metadata", {{"name", "n"}, {"labels", labels}}}}).status, 422);
  }
  EXPECT_EQ(merge(namespaces + "/default", {{"metadata", {{"labels", "x"}}}}).status, 422);
  EXPECT_EQ(create("/api/v1/namespaces/default/services", {{"metadata", {{"name", "s"}}}, {"spec", "x"}}).status, 422);
  EXPECT_EQ(create(secrets, {{"metadata", {{"name", "s"}}}, {"stringData", {{"a", "b"}}}}).body["data"]["a"], "Yg==");
}

TEST_F(Objects, OurOwnDefinitionsAreTaken) {
  for (const char* file : {"crds/experiments.yaml", "crds/trials.yaml"}) {
    std::ifstream text(file);
    const std::string yaml{std::istreambuf_iterator<char>(text), {}};
    ASSERT_FALSE(yaml.empty()) << file;
    const Answer defined = call("POST", kDefinitions, yaml, {{"Content-Type", "application/yaml"}});
    EXPECT_EQ(defined.status, 201) << defined.message();
  }
  const std::string experiments = "/apis/det-operator.dev/v1alpha1/namespaces/default/experiments";
  const Answer wrong =
      create(experiments, {{"metadata", {{"name", "e"}}}, {"spec", {{"config", "x"}, {"stop", "No"}}}});
  EXPECT_EQ(
      wrong.message(),
      "Experiment.det-operator.dev \"e\" is invalid: [spec.config: Invalid value: \"string\": spec.config in body must "
      "be of type object: \"string\", spec.stop: Unsupported value: \"No\": supported values: \"Cancel\", \"Kill\"]");
  const json config = {{"searcher", {{"name", "single"}, {"metric", "loss"}}}};
  made(experiments, {{"metadata", {{"name", "e"}}}, {"spec", {{"config", config}}}});
  const json correction = {{"spec", {{"config", {{"searcher", {{"metric", "accuracy"}}}}}}}};
  EXPECT_EQ(merge(experiments + "/e", correction).body["metadata"]["generation"], 2);
  EXPECT_EQ(merge(experiments + "/e/status", {{"status", {{"id", 7}}}}).status, 200);
  const Answer changed = merge(experiments + "/e", {{"spec", {{"config", {{"searcher", {{"metric", "other"}}}}}}}});
  EXPECT_EQ(changed.status, 422);
  EXPECT_EQ(changed.message(),
            "Experiment.det-operator.dev \"e\" is invalid: spec.config.searcher.metric: Invalid value: \"object\": "
            "searcher.metric cannot change; create a new experiment");
  EXPECT_EQ(merge(experiments + "/e", {{"spec", {{"suspend", true}}}}).status, 200);
  const std::string trials = "/apis/det-operator.dev/v1alpha1/namespaces/default/trials";
  const json training = {{"requestID", "r"},
                         {"experimentID", 7},
                         {"trialID", 1},
                         {"seed", 1},
                         {"slots", 2},
                         {"pods", 1},
                         {"hparams", {{"lr", 0.1}, {"optimizer", {{"name", "sgd"}}}}}};
  made(trials, {{"metadata", {{"name", "t"}}}, {"spec", training}});
  const auto refused = [&](const json& change) { return merge(trials + "/t", {{"spec", change}}).message(); };
  EXPECT_THAT(refused({{"slots", 4}}), testing::HasSubstr("a trial's identity, seed and slots cannot change"));
  EXPECT_THAT(refused({{"pods", 3}}), testing::HasSubstr("a trial's number of pods cannot change"));
  EXPECT_THAT(refused({{"pods", nullptr}}), testing::HasSubstr("a trial's number of pods cannot change"));
  EXPECT_THAT(refused({{"hparams", {{"optimizer", {{"name", "adam"}}}}}}),
              testing::HasSubstr("a trial's hyperparameters cannot change"));
  EXPECT_EQ(merge(trials + "/t", {{"spec", {{"stop", "Kill"}}}}).status, 200);
}

TEST_F(Objects, ADefinitionThatIsWrongIsRefused) {
  json crd = definition(size_schema());
  crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"]["type"] = "int";
  const Answer refused = create(kDefinitions, crd);
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.message().contains(
      "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].type: Unsupported value: \"int\""))
      << refused.message();
}

TEST_F(Objects, ADefinitionCannotTakeTheGroupsOfKubernetes) {
  json crd = definition(size_schema());
  crd["metadata"]["name"] = "leases.coordination.k8s.io";
  crd["spec"]["group"] = "coordination.k8s.io";
  crd["spec"]["names"]["plural"] = "leases";
  const Answer refused = create(kDefinitions, crd);
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.body["details"]["causes"][0]["field"], "spec.group");
}

TEST_F(Objects, ADefinitionTakesItsObjectsWithIt) {
  made(kDefinitions, definition(size_schema()));
  made(kWidgets, widget({{"size", 1}}));
  EXPECT_EQ(call("DELETE", std::string(kDefinitions) + "/widgets.example.com").status, 200);
  EXPECT_EQ(get(kWidgets).status, 404);
  made(kDefinitions, definition(size_schema()));
  EXPECT_EQ(get(kWidgets).body["items"].size(), 0U);
}

TEST_F(Objects, GenerationCountsChangesOfTheSpecOnly) {
  made(kDefinitions, definition(size_schema()));
  made(kWidgets, widget({{"size", 1}}));
  const std::string w = std::string(kWidgets) + "/w";
  EXPECT_EQ(merge(w, {{"metadata", {{"labels", {{"a", "b"}}}}}}).body["metadata"]["generation"], 1);
  EXPECT_EQ(merge(w + "/status", {{"status", {{"x", 1}}}, {"spec", {{"size", 9}}}}).body["spec"]["size"], 1);
  const Answer changed = merge(w, {{"spec", {{"size", 2}}}, {"status", {{"x", 2}}}});
  EXPECT_EQ(changed.body["metadata"]["generation"], 2);
  EXPECT_EQ(changed.body["status"]["x"], 1);
}

TEST_F(Objects, APutOfACustomResourceNeedsItsVersion) {
  made(kDefinitions, definition(size_schema()));
  json object = made(kWidgets, widget({{"size", 1}}));
  object["metadata"].erase("resourceVersion");
  object["spec"]["size"] = 2;
  const Answer refused = call("PUT", std::string(kWidgets) + "/w", object);
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(
      refused.message().contains("metadata.resourceVersion: Invalid value: 0x0: must be specified for an update"));
}

TEST_F(Objects, RefusalsReadLikeTheRealServers) {
  made(kConfigMaps, config_map("a"));
  EXPECT_EQ(get(std::string(kConfigMaps) + "/b").message(), "configmaps \"b\" not found");
  EXPECT_EQ(create(kConfigMaps, config_map("a")).message(), "configmaps \"a\" already exists");
  EXPECT_EQ(
      merge(std::string(kConfigMaps) + "/a", {{"metadata", {{"resourceVersion", "1"}}}}).message(),
      "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your changes to "
      "the latest version and try again");
  EXPECT_TRUE(
      merge(std::string(kConfigMaps) + "/a", {{"metadata", {{"uid", "x"}}}})
          .message()
          .starts_with(
              "Operation cannot be fulfilled on configmaps \"a\": Precondition failed: UID in precondition: x"));
  EXPECT_EQ(create("/api/v1/namespaces/nowhere/configmaps", config_map("a")).message(),
            "namespaces \"nowhere\" not found");
  EXPECT_EQ(get("/api/v1/namespaces/default/unicorns").status, 404);
  EXPECT_EQ(call("POST", std::string(kConfigMaps) + "/a", config_map("a")).status, 405);
  const Answer ssa = call("PATCH", std::string(kConfigMaps) + "/a", config_map("a"),
                          {{"Content-Type", "application/apply-patch+yaml"}});
  EXPECT_EQ(ssa.status, 415);
  EXPECT_TRUE(ssa.message().contains("use client-side apply")) << ssa.message();
  const Answer unnamed = create(kConfigMaps, config_map("Not_A_Name"));
  EXPECT_TRUE(
      unnamed.message().contains("metadata.name: Invalid value: \"Not_A_Name\": a lowercase RFC 1123 subdomain"));
  EXPECT_EQ(get(std::string(kConfigMaps) + "?fieldSelector=data.k%3Dv").message(), "field label not supported: data.k");
  EXPECT_EQ(call("POST", kConfigMaps, "{", {{"Content-Type", "application/json"}}).status, 400);
}

TEST_F(Objects, ADataKeyThatCannotBeAFileIsNamed) {
  json object = config_map("a");
  object["data"] = {{"bad/key", "x"}};
  EXPECT_EQ(create(kConfigMaps, object).body["details"]["causes"][0]["field"], "data[bad/key]");
}

TEST_F(Objects, TextOfSecretsIsKeptAsBase64) {
  const json secret = {{"metadata", {{"name", "s"}}}, {"stringData", {{"k", "v"}}}};
  const json stored = made("/api/v1/namespaces/default/secrets", secret);
  EXPECT_EQ(stored["data"]["k"], "dg==");
  EXPECT_EQ(stored["type"], "Opaque");
  EXPECT_FALSE(stored.contains("stringData"));
}

TEST_F(Objects, APodIsCompletedAndItsMistakesAreNamed) {
  const json stored = made(kPods, pod("p"));
  EXPECT_EQ(stored["spec"]["restartPolicy"], "Always");
  EXPECT_EQ(stored["spec"]["containers"][0]["imagePullPolicy"], "Always");
  EXPECT_EQ(stored["status"]["phase"], "Pending");
  EXPECT_EQ(stored["status"]["qosClass"], "Burstable");
  json wrong = pod("q", "much");
  wrong["spec"]["containers"][0]["volumeMounts"] = {{{"name", "v"}, {"mountPath", "/v"}}};
  const Answer refused = create(std::string(kPods) + "?dryRun=All", wrong);
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.message().contains("spec.containers[0].volumeMounts[0].name: Not found: \"v\""));
  EXPECT_TRUE(refused.message().contains("spec.containers[0].resources.requests[cpu]: Invalid value: \"much\""));
  const Answer changed = merge(std::string(kPods) + "/p", {{"spec", {{"restartPolicy", "Never"}}}});
  EXPECT_EQ(changed.status, 422);
  EXPECT_TRUE(changed.message().contains("pod updates may not change fields other than"));
}

TEST_F(Objects, NamesAreGenerated) {
  json object = config_map("x");
  object["metadata"] = {{"generateName", "gen-"}};
  const std::string name = made(kConfigMaps, object)["metadata"]["name"];
  EXPECT_TRUE(name.starts_with("gen-") && name.size() == 9) << name;
  EXPECT_NE(made(kConfigMaps, object)["metadata"]["name"], name);
}

TEST_F(Objects, AFinalizerHoldsAnObject) {
  made(kConfigMaps, config_map("a", {{"finalizers", {"example.com/hold"}}}));
  const std::string a = std::string(kConfigMaps) + "/a";
  const Answer deleted = call("DELETE", a);
  EXPECT_TRUE(deleted.body["metadata"].contains("deletionTimestamp"));
  const Answer more = merge(a, {{"metadata", {{"finalizers", {"example.com/hold", "example.com/late"}}}}});
  EXPECT_EQ(more.status, 422);
  EXPECT_TRUE(more.message().contains("no new finalizers can be added if the object is being deleted"));
  EXPECT_EQ(merge(a, {{"metadata", {{"finalizers", nullptr}}}}).status, 200);
  EXPECT_EQ(get(a).status, 404);
}

TEST_F(Objects, DependentsGoWithTheirLastOwner) {
  const auto reference = [&](const char* name) {
    const json owner = made(kConfigMaps, config_map(name));
    return json{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", name}, {"uid", owner["metadata"]["uid"]}};
  };
  const json first = reference("first");
  const json second = reference("second");
  made(kConfigMaps, config_map("both", {{"ownerReferences", {first, second}}}));
  const json child = made(kConfigMaps, config_map("child", {{"ownerReferences", {first}}}));
  const json grandchild = {
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "child"}, {"uid", child["metadata"]["uid"]}};
  made(kConfigMaps, config_map("grandchild", {{"ownerReferences", {grandchild}}}));
  call("DELETE", std::string(kConfigMaps) + "/first");
  EXPECT_TRUE(is_gone(std::string(kConfigMaps) + "/grandchild"));
  EXPECT_EQ(get(std::string(kConfigMaps) + "/child").status, 404);
  const std::string both = std::string(kConfigMaps) + "/both";
  EXPECT_TRUE(eventually([&] { return get(both).body["metadata"]["ownerReferences"].size() == 1; }));
  call("DELETE", std::string(kConfigMaps) + "/second");
  EXPECT_TRUE(is_gone(both));
}

TEST_F(Objects, AnOwnerThatNeverWasIsGoneToo) {
  const json nobody = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "x"}, {"uid", "no-such-uid"}};
  made(kConfigMaps, config_map("child", {{"ownerReferences", {nobody}}}));
  EXPECT_TRUE(is_gone(std::string(kConfigMaps) + "/child"));
}

TEST_F(Objects, PropagationIsTheClientsChoice) {
  const auto family = [&](const std::string& name) {
    const json owner = made(kConfigMaps, config_map(name));
    const json reference = {{"apiVersion", "v1"},
                            {"kind", "ConfigMap"},
                            {"name", name},
                            {"uid", owner["metadata"]["uid"]},
                            {"blockOwnerDeletion", true}};
    made(kConfigMaps,
         config_map(name + "-child", {{"ownerReferences", {reference}}, {"finalizers", {"example.com/hold"}}}));
  };
  const std::string base = std::string(kConfigMaps) + "/";
  family("orphaned");
  call("DELETE", base + "orphaned?propagationPolicy=Orphan");
  EXPECT_FALSE(get(base + "orphaned-child").body["metadata"].contains("ownerReferences"));
  EXPECT_EQ(get(base + "orphaned").status, 404);
  family("waiting");
  call("DELETE", base + "waiting?propagationPolicy=Foreground");
  EXPECT_TRUE(eventually([&] { return get(base + "waiting-child").body["metadata"].contains("deletionTimestamp"); }));
  EXPECT_EQ(get(base + "waiting").status, 200) << "the owner waits for its dependents";
  merge(base + "waiting-child", {{"metadata", {{"finalizers", nullptr}}}});
  EXPECT_TRUE(is_gone(base + "waiting"));
}

TEST_F(Objects, ABoundPodIsDeletedByWhoRunsIt) {
  json bound = pod("p");
  bound["spec"]["nodeName"] = "n";
  made(kPods, bound);
  const std::string p = std::string(kPods) + "/p";
  const Answer deleted = call("DELETE", p);
  EXPECT_EQ(deleted.body["metadata"]["deletionGracePeriodSeconds"], 30);
  EXPECT_EQ(get(p).status, 200);
  EXPECT_EQ(call("DELETE", p, {{"gracePeriodSeconds", 5}}).body["metadata"]["deletionGracePeriodSeconds"], 5);
  EXPECT_EQ(call("DELETE", p, {{"gracePeriodSeconds", 9}}).body["metadata"]["deletionGracePeriodSeconds"], 5);
  EXPECT_EQ(call("DELETE", p, {{"gracePeriodSeconds", 0}}).status, 200);
  EXPECT_EQ(get(p).status, 404);
  made(kPods, pod("q"));
  EXPECT_EQ(call("DELETE", std::string(kPods) + "/q").status, 200);
  EXPECT_EQ(get(std::string(kPods) + "/q").status, 404) << "nobody runs it";
  bound["metadata"]["name"] = "r";
  made(kPods, bound);
  EXPECT_EQ(call("POST", std::string(kPods) + "/r/eviction", json::object()).status, 201);
  EXPECT_TRUE(get(std::string(kPods) + "/r").body["metadata"].contains("deletionTimestamp"));
}

TEST_F(Objects, ANamespaceTakesItsContentWithIt) {
  made("/api/v1/namespaces", {{"metadata", {{"name", "team"}}}});
  made("/api/v1/namespaces/team/configmaps", config_map("a"));
  made("/api/v1/namespaces/team/configmaps", config_map("b", {{"finalizers", {"example.com/hold"}}}));
  EXPECT_EQ(call("DELETE", "/api/v1/namespaces/team").body["status"]["phase"], "Terminating");
  EXPECT_TRUE(is_gone("/api/v1/namespaces/team/configmaps/a"));
  EXPECT_EQ(create("/api/v1/namespaces/team/configmaps", config_map("c")).status, 403);
  EXPECT_EQ(get("/api/v1/namespaces/team").status, 200);
  merge("/api/v1/namespaces/team/configmaps/b", {{"metadata", {{"finalizers", nullptr}}}});
  EXPECT_TRUE(is_gone("/api/v1/namespaces/team"));
  EXPECT_EQ(call("DELETE", "/api/v1/namespaces/default").status, 403);
}

TEST_F(Objects, ACollectionIsDeletedBySelector) {
  made(kConfigMaps, config_map("a", {{"labels", {{"x", "1"}}}}));
  made(kConfigMaps, config_map("b"));
  EXPECT_EQ(call("DELETE", std::string(kConfigMaps) + "?labelSelector=x").status, 200);
  const json left = get(kConfigMaps).body["items"];
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0]["metadata"]["name"], "b");
}

}  // namespace
}  // namespace det::local::test
