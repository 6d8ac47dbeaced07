#include <list>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/experiments/experiment_create.h"
#include "base/tgz.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

class Experiments : public ApiTest {
 protected:
  // Experiment 1's object as other managers left it.
  void replace_with_managed_fields(const char* managed_fields) {
    json foreign = object(1);
    foreign["metadata"]["managedFields"] = json::parse(managed_fields);
    kubernetes.erase(k8s::experiments(), {.ns = "team", .name = "exp-1"});
    foreign["metadata"].erase("uid");
    foreign["metadata"].erase("resourceVersion");
    const json made = kubernetes.create(k8s::experiments(), foreign);
    sql("UPDATE experiments SET uid = '" + made["metadata"]["uid"].get<std::string>() + "'");
  }
};

// Scripts ask for its trials at once.
TEST_F(Experiments, AreAnsweredWithTheirFirstTrialThereAlsoPaused) {
  services.settings.verb_patience = std::chrono::minutes(1);
  const auto epoch = must(cluster.load_or_create()).epoch;
  bool is_made = false;
  const auto reconcile = [&]() -> Task<void> {
    const auto is_adopted = [](const auto& found) { return found && *found && !(*found)->uid.empty(); };
    while (!is_adopted(co_await experiments.find({1}))) co_await clock.sleep_for(std::chrono::milliseconds(1));
    co_await clock.sleep_for(std::chrono::milliseconds(10));
    is_made = (co_await trials.insert(epoch, new_trial({1}))).has_value();
  };
  asio::co_spawn(io, reconcile(), asio::detached);
  EXPECT_EQ(create(kConst, false), 1);
  EXPECT_TRUE(is_made);
  EXPECT_EQ(get("/api/v1/experiments/1/trials").body()["trials"].size(), 1u);
}

// However many send ever other pods, the API server is asked about few of them at a time.
TEST_F(Experiments, WaitForTheirTurnAtTheGate) {
  int asked = 0;
  kubernetes.admit_with([&asked](const std::string&, json&) { ++asked; });
  std::list<Turns::Turn> others;
  const auto hold = [&]() -> Task<void> { others.push_back(co_await gate_turns.wait("user 7")); };
  for (std::size_t i = 0; i < kAtTheGate; ++i) asio::co_spawn(io, hold(), asio::detached);
  std::optional<Result<CreatedExperiment>> made;
  const auto create = [&]() -> Task<void> {
    CreateRequest request;
    request.config_yaml = kConst;
    request.validate_only = true;
    Identity caller;
    caller.user.id = {2};
    made = co_await create_experiment(services, std::move(request), std::move(caller));
  };
  asio::co_spawn(io, create(), asio::detached);
  io.restart();
  while (gate_turns.waiting() == 0 || others.size() < kAtTheGate) io.run_one();
  EXPECT_EQ(asked, 0);
  others.pop_back();
  while (!made) io.run_one();
  EXPECT_TRUE(made->has_value());
  EXPECT_EQ(asked, 2);  // the pod and the Experiment
  EXPECT_EQ(gate_turns.waiting(), 0U);
}

TEST_F(Experiments, AreMadeAsRowAndObject) {
  const json files = json::parse(
      R"([{"path":"train.py","type":48,"content":"cHJpbnQoMSkK","mtime":"1","mode":33188,"uid":0,"gid":0}])");
  const Answer made = post("/api/v1/experiments", {{"config", kConst}, {"activate", true}, {"modelDefinition", files}});
  ASSERT_EQ(made.status, 200) << made.text;
  const json experiment = made.body()["experiment"];
  EXPECT_EQ(experiment["name"], "const");
  EXPECT_EQ(experiment["state"], "STATE_QUEUED");
  EXPECT_EQ(experiment["username"], "determined");
  EXPECT_EQ(experiment["resourcePool"], "default");
  EXPECT_EQ(experiment["originalConfig"], kConst);
  EXPECT_EQ(experiment["config"], made.body()["config"]);
  EXPECT_EQ(made.body()["warnings"], json::array());
  EXPECT_EQ(made.body()["configWarnings"], json::array());

  const std::int64_t id = experiment["id"];
  const json made_object = object(id);
  ASSERT_TRUE(made_object.is_object());
  EXPECT_EQ(made_object["spec"]["config"]["entrypoint"], "python3 train.py");
  EXPECT_EQ(made_object["spec"]["suspend"], false);
  const auto row = must(experiments.find(model::ExperimentId{id})).value();
  EXPECT_EQ(made_object["metadata"]["annotations"]["det-operator.dev/nonce"], row.nonce);
  EXPECT_EQ(made_object["metadata"]["uid"], row.uid);
  EXPECT_EQ(made_object["spec"]["context"]["stored"]["sha256"], row.context.sha256);
  const json definition = get("/api/v1/experiments/" + std::to_string(id) + "/model_def").body();
  const auto packed = base64_decode(definition["b64Tgz"].get<std::string>()).value();
  EXPECT_EQ(unpack_tgz(packed, 1000).value()[0].content, "print(1)\n");
  const std::string plain = "/experiments/" + std::to_string(id);
  const Answer archive = get(plain + "/model_def");
  EXPECT_EQ(archive.text, packed);
  EXPECT_EQ(archive.headers.find("Content-Disposition").value_or(""),
            "attachment; filename=\"exp" + std::to_string(id) + "_const_model_def.tar.gz\"");
  const std::string name = unpack_tgz(packed, 1000).value()[0].path;
  const Answer file = get(plain + "/file/download?path=" + name);
  EXPECT_EQ(file.text, "print(1)\n");
  EXPECT_EQ(file.headers.find("Content-Type").value_or(""), "application/octet-stream");
  EXPECT_EQ(file.headers.find("X-Content-Type-Options").value_or(""), "nosniff");
  EXPECT_EQ(get(plain + "/file/download?path=../x").status, 404);
  EXPECT_EQ(get(plain + "/file/download").status, 400);
}

TEST_F(Experiments, TellWhatOfTheirConfigurationHasNoEffect) {
  const std::string config = std::string(kConst) + "security: {kerberos: {config_file: /etc/krb5.conf}}\n";
  const auto warning = testing::ElementsAre(testing::StartsWith("security.kerberos.config_file has no effect here: "));
  const Answer checked = post("/api/v1/experiments", {{"config", config}, {"validateOnly", true}});
  ASSERT_EQ(checked.status, 200) << checked.text;
  EXPECT_THAT(checked.body()["configWarnings"].get<std::vector<std::string>>(), warning);
  const Answer made = post("/api/v1/experiments", {{"config", config}});
  ASSERT_EQ(made.status, 200) << made.text;
  EXPECT_THAT(made.body()["configWarnings"].get<std::vector<std::string>>(), warning);
  EXPECT_EQ(made.body()["warnings"], json::array()) << "clients of Determined know one word there";
}

TEST_F(Experiments, SayWhichSecretsAForkHasNot) {
  const std::string config =
      "name: fork\nentrypoint: python3 train.py\nsearcher:\n  name: single\n  metric: loss\n"
      "environment:\n  registry_auth: {username: u, password: '********'}\n"
      "checkpoint_storage:\n  type: s3\n  bucket: b\n  secret_key: '********'\n";
  const Answer checked = post("/api/v1/experiments", {{"config", config}, {"validateOnly", true}});
  ASSERT_EQ(checked.status, 200) << checked.text;
  EXPECT_THAT(
      checked.body()["configWarnings"].get<std::vector<std::string>>(),
      testing::ElementsAre(testing::StartsWith("environment.registry_auth.password: ******** stands for a secret"),
                           testing::StartsWith("checkpoint_storage.secret_key: ******** stands for a secret")));
}

TEST_F(Experiments, MadePausedAreSuspended) {
  const std::int64_t id = create(kConst, false);
  EXPECT_EQ(object(id)["spec"]["suspend"], true);
  EXPECT_EQ(get("/api/v1/experiments/" + std::to_string(id)).body()["experiment"]["state"], "STATE_PAUSED");
}

TEST_F(Experiments, AreRefusedWithEveryErrorOfTheConfiguration) {
  const Answer refused = post("/api/v1/experiments",
                              {{"config", "name: 7\nsearcher: {name: single}\nresources: {slots_per_trial: many}\n"}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("invalid experiment configuration"));
  EXPECT_THAT(refused.error(), HasSubstr("resources.slots_per_trial"));
  EXPECT_THAT(refused.error(), HasSubstr("<config>.name"));
  EXPECT_EQ(post("/api/v1/experiments", {{"config", "- a\n"}}).error(),
            "invalid experiment configuration: expected a mapping, got array");
  EXPECT_EQ(sql("SELECT count(*)::text FROM experiments"), "0");
  EXPECT_TRUE(kubernetes.all(k8s::experiments()).empty());
}

TEST_F(Experiments, AreOnlyLookedAtWhenValidating) {
  const Answer valid = post("/api/v1/experiments", {{"config", kConst}, {"validateOnly", true}});
  EXPECT_EQ(valid.status, 200);
  EXPECT_EQ(valid.body()["experiment"]["state"], "STATE_UNSPECIFIED");
  EXPECT_EQ(sql("SELECT count(*)::text FROM experiments"), "0");
  EXPECT_TRUE(kubernetes.all(k8s::experiments()).empty());
}

TEST_F(Experiments, AreNeitherMadeNorTouchedWhereTheOperatorHasNoRights) {
  const std::string path = "/api/v1/experiments/" + std::to_string(create());
  services.settings.master.task_namespaces = {"det-tasks"};
  const Answer refused = post("/api/v1/experiments", {{"config", kConst}, {"activate", true}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("do not run in namespace team"));
  EXPECT_THAT(refused.error(), HasSubstr("taskNamespaces of the Helm chart: add team"));
  EXPECT_EQ(sql("SELECT count(*)::text FROM experiments"), "1");
  EXPECT_EQ(post(path + "/pause").error(), refused.error());
  EXPECT_EQ(post(path + "/kill").error(), refused.error());
  services.settings.master.task_namespaces = {"det-tasks", "team"};
  EXPECT_EQ(post(path + "/pause").status, 200);
}

TEST_F(Experiments, NeedTheirTemplateProjectAndParent) {
  EXPECT_EQ(post("/api/v1/experiments", {{"config", kConst}, {"template", "t"}}).status, 404);
  EXPECT_EQ(post("/api/v1/experiments", {{"config", kConst}, {"projectId", 99}}).error(), "project '99' not found");
  EXPECT_EQ(post("/api/v1/experiments", {{"config", kConst}, {"parentId", 99}}).error(), "experiment '99' not found");
  EXPECT_EQ(sql("SELECT count(*)::text FROM experiments"), "0");
}

TEST_F(Experiments, LeaveNoRowWhenTheObjectCannotBeMade) {
  kubernetes.refuse_with([](const std::string& collection, const json&) -> std::optional<det::test::StoreAnswer> {
    if (!collection.ends_with("experiments")) return std::nullopt;
    return det::test::refusal(403, "Forbidden", "exceeded quota: experiments");
  });
  const Answer refused = post("/api/v1/experiments", {{"config", kConst}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("exceeded quota: experiments"));
  EXPECT_EQ(sql("SELECT count(*)::text FROM experiments"), "0");
}

TEST_F(Experiments, GetAnotherNameWhereSomethingElseHasTheirs) {
  kubernetes.create(k8s::experiments(), {{"apiVersion", "det-operator.dev/v1alpha1"},
                                         {"kind", "Experiment"},
                                         {"metadata", {{"name", "exp-1"}, {"namespace", "team"}}},
                                         {"spec", {{"config", json::object()}}}});
  EXPECT_EQ(create(kConst, true), 1);
  const std::string name = sql("SELECT object_name FROM experiments WHERE id = 1");
  EXPECT_THAT(name, MatchesRegex("exp-1-[0-9a-f]{8}"));
  EXPECT_EQ(post("/api/v1/experiments/1/pause").status, 200);
  const json made = kubernetes.find(k8s::experiments(), {.ns = "team", .name = name});
  EXPECT_EQ(made["spec"]["suspend"], true);
}

TEST_F(Experiments, AreListedWithFilters) {
  create();
  create();
  const json all = get("/api/v1/experiments?limit=1&offset=0").body();
  EXPECT_EQ(all["experiments"].size(), 1U);
  EXPECT_EQ(all["pagination"], json::parse(R"({"offset":0,"limit":1,"startIndex":0,"endIndex":1,"total":2})"));
  EXPECT_EQ(get("/api/v1/experiments?users=determined&archived=false").body()["pagination"]["total"], 2);
  EXPECT_EQ(get("/api/v1/experiments?users=admin").body()["experiments"], json::array());
  EXPECT_EQ(get("/api/v1/experiments?states=STATE_NONSENSE").status, 400);
  EXPECT_EQ(get("/api/v1/experiments?offset=9").body()["pagination"]["startIndex"], 2)
      << "an empty page, as upstream's";
  EXPECT_EQ(get("/api/v1/experiments?users=determined&userIds=1").body()["pagination"]["total"], 0) << "both hold";
}

TEST_F(Experiments, AreListedByTheirIds) {
  for (int i = 0; i < 4; ++i) create();
  const auto ids = [&](const std::string& query) {
    std::vector<int> found;
    for (const json& one : get("/api/v1/experiments?" + query).body()["experiments"]) found.push_back(one["id"]);
    return found;
  };
  EXPECT_THAT(ids("experimentIdFilter.gt=1&experimentIdFilter.lte=3"), ElementsAre(2, 3));
  EXPECT_THAT(ids("experimentIdFilter.gte=2&experimentIdFilter.lt=4"), ElementsAre(2, 3));
  EXPECT_THAT(ids("experimentIdFilter.incl=1&experimentIdFilter.incl=4"), ElementsAre(1, 4));
  EXPECT_THAT(ids("experiment_id_filter.not_in=1&experimentIdFilter.gt=2&showTrialData=true"), ElementsAre(3, 4));
  EXPECT_EQ(get("/api/v1/experiments?experimentIdFilter.gt=x").status, 400);
}

// What was written for a list before serves again only as long as it is true.
TEST_F(Experiments, AreListedAsTheyAreNow) {
  create();
  const auto entries = [this] {
    const json listed = get("/api/v1/experiments").body()["experiments"];
    const json found = post("/api/v1/experiments-search", json::object()).body()["experiments"];
    EXPECT_EQ(found.at(0)["experiment"], listed.at(0));
    EXPECT_EQ(get("/api/v1/experiments/1").body()["experiment"], listed.at(0));
    return listed.at(0);
  };
  const json first = entries();
  EXPECT_EQ(entries(), first);
  const auto changes = [&](const std::string& change, const char* field) {
    const json before = entries();
    sql(change);
    EXPECT_NE(entries()[field], before[field]) << change;
  };
  changes("UPDATE experiments SET description = 'another'", "config");
  changes("UPDATE experiments SET labels = '[\"new\"]'", "labels");
  changes("UPDATE experiments SET live = '{\"priority\": 7}'", "config");
  changes("UPDATE experiments SET progress = 0.5", "progress");
  changes("UPDATE experiments SET state = 'COMPLETED', end_time = now()", "state");
  changes("UPDATE users SET display_name = 'Somebody else'", "displayName");
  changes("UPDATE projects SET name = 'renamed'", "projectName");
}

TEST_F(Experiments, AreListedAHundredAtATimeUnlessAskedForMore) {
  create();
  sql("INSERT INTO experiments (nonce, owner_id, project_id, state, config, original_config, config_hash, name, "
      "context_kind) SELECT gen_random_uuid(), 2, 1, 'COMPLETED', '{}', '', '', 'e', 'none' "
      "FROM generate_series(1, 129) RETURNING 1");
  EXPECT_EQ(get("/api/v1/experiments").body()["experiments"].size(), 100U);
  const json all = get("/api/v1/experiments?limit=-1").body();
  EXPECT_EQ(all["experiments"].size(), 130U);
  EXPECT_EQ(all["pagination"]["endIndex"], 130);
  const json none = get("/api/v1/experiments?limit=-2").body();
  EXPECT_EQ(none["experiments"], json::array());
  EXPECT_EQ(none["pagination"]["total"], 130);
  EXPECT_EQ(get("/api/v1/experiments?limit=-3").status, 400);
}

TEST_F(Experiments, PauseAndActivateThroughTheObject) {
  const std::string path = "/api/v1/experiments/" + std::to_string(create());
  EXPECT_EQ(post(path + "/pause").text, "{}");
  EXPECT_EQ(object(1)["spec"]["suspend"], true);
  EXPECT_EQ(post(path + "/pause").text, "{}");
  EXPECT_EQ(post(path + "/activate").text, "{}");
  EXPECT_EQ(object(1)["spec"]["suspend"], false);
  EXPECT_EQ(post("/api/v1/experiments/99/pause").error(), "experiment '99' not found");
  EXPECT_EQ(post("/api/v1/experiments/x/pause").status, 400);
}

TEST_F(Experiments, AreNotPausedBehindTheBackOfGit) {
  create();
  replace_with_managed_fields(
      R"([{"manager":"argocd-controller","operation":"Update","fieldsV1":{"f:spec":{"f:suspend":{}}}}])");
  const Answer refused = post("/api/v1/experiments/1/pause");
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.error(), HasSubstr("kept by 'argocd-controller'"));
}

// Who keeps it would make it again, to be trained anew.
TEST_F(Experiments, AreNotDeletedBehindTheBackOfGit) {
  create();
  replace_with_managed_fields(
      R"([{"manager":"argocd-controller","operation":"Apply","fieldsV1":{"f:spec":{"f:config":{"f:name":{}}}}}])");
  sql("UPDATE experiments SET state = 'COMPLETED', end_time = now()");
  const Answer refused = call("DELETE", "/api/v1/experiments/1");
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.error(), HasSubstr("kept by 'argocd-controller'"));
  const Answer bulk = call("DELETE", "/api/v1/projects/1/experiments/delete", R"({"experimentIds":[1]})");
  EXPECT_EQ(bulk.body()["results"][0]["error"], refused.error());
  EXPECT_EQ(sql("SELECT state FROM experiments"), "COMPLETED");

  json going = object(1);
  going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  kubernetes.overwrite(k8s::experiments(), {.ns = "team", .name = "exp-1"}, going);
  EXPECT_EQ(call("DELETE", "/api/v1/experiments/1").text, "{}") << "it goes, with those who keep it";
  sql("UPDATE experiments SET state = 'COMPLETED' RETURNING id");
  kubernetes.erase(k8s::experiments(), {.ns = "team", .name = "exp-1"});
  EXPECT_EQ(call("DELETE", "/api/v1/experiments/1").text, "{}") << "it is gone";
}

TEST_F(Experiments, EndOnceAndForAll) {
  create();
  EXPECT_EQ(post("/api/v1/experiments/1/cancel").text, "{}");
  EXPECT_EQ(object(1)["spec"]["stop"], "Cancel");
  EXPECT_EQ(post("/api/v1/experiments/1/kill").text, "{}");
  EXPECT_EQ(object(1)["spec"]["stop"], "Kill");
  EXPECT_EQ(post("/api/v1/experiments/1/archive").error(), "Experiment is not in terminal state.");
  sql("UPDATE experiments SET state = 'CANCELED', end_time = now()");
  EXPECT_EQ(post("/api/v1/experiments/1/kill").text, "{}");
  EXPECT_EQ(post("/api/v1/experiments/1/activate").error(), "experiment in terminal state");
  EXPECT_EQ(post("/api/v1/experiments/1/archive").text, "{}");
  EXPECT_EQ(get("/api/v1/experiments/1").body()["experiment"]["archived"], true);
  EXPECT_EQ(post("/api/v1/experiments/1/unarchive").text, "{}");
}

TEST_F(Experiments, SayWhenTheirObjectIsGone) {
  create();
  kubernetes.erase(k8s::experiments(), {.ns = "team", .name = "exp-1"});
  EXPECT_EQ(post("/api/v1/experiments/1/activate").error(),
            "the Experiment object of experiment '1' no longer exists in Kubernetes; only its history is left");
}

TEST_F(Experiments, DoNotTakeALimitThatGitKeeps) {
  create();
  replace_with_managed_fields(
      R"([{"manager":"argocd-controller","operation":"Apply",
           "fieldsV1":{"f:spec":{"f:config":{"f:resources":{"f:max_slots":{}}}}}}])");
  EXPECT_EQ(call("PATCH", "/api/v1/experiments/1", R"({"resources":{"maxSlots":4}})").status, 409);
  EXPECT_EQ(call("PATCH", "/api/v1/experiments/1", R"({"resources":{"priority":4}})").status, 200);
}

TEST_F(Experiments, HaveNoBestMetricBeforeTheFirst) {
  create();
  EXPECT_EQ(get("/api/v1/experiments/1/searcher/best_searcher_validation_metric").status, 404);
}

TEST_F(Experiments, ForkTakesTheParentsCode) {
  const json files = json::parse(R"([{"path":"a","type":48,"content":"","mtime":"1","mode":33188}])");
  ASSERT_EQ(post("/api/v1/experiments", {{"config", kConst}, {"modelDefinition", files}}).status, 200);
  ASSERT_EQ(post("/api/v1/experiments", {{"config", kConst}, {"parentId", 1}}).status, 200);
  EXPECT_EQ(object(2)["spec"]["context"], object(1)["spec"]["context"]);
  EXPECT_EQ(get("/api/v1/experiments/2").body()["experiment"]["forkedFrom"], 1);
}

}  // namespace
}  // namespace det::api
