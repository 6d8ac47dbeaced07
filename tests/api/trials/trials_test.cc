#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct Trials : ApiTest {
  Trials() : trial(started_trial()) { path = "/api/v1/trials/" + to_string(trial.id); }

  Answer report(const std::string& group, int steps, const json& metrics, int run = 1) {
    return post(path + "/metrics", {{"group", group},
                                    {"metrics",
                                     {{"trialId", trial.id.value},
                                      {"trialRunId", run},
                                      {"stepsCompleted", steps},
                                      {"metrics", {{"avgMetrics", metrics}, {"batchMetrics", nullptr}}}}}});
  }
  Answer log(const std::string& text) {
    return post("/api/v1/task/logs",
                {{"logs", {{{"task_id", trial.task_id}, {"timestamp", "2026-11-21T02:41:21.5Z"}, {"log", text}}}}});
  }
  void end() { sql("UPDATE trials SET state = 'COMPLETED', end_time = now()"); }

  store::TrialRow trial;
  std::string path;
};

TEST_F(Trials, KeepWhatTheyReport) {
  EXPECT_EQ(report("training", 10, {{"loss", 1.5}}).text, "{}");
  EXPECT_EQ(report("validation", 10, {{"loss", 0.5}}).text, "{}");
  EXPECT_EQ(report("validation", 10, {{"loss", 0.5}}).text, "{}");
  const json seen = get(path).body()["trial"];
  EXPECT_EQ(seen["totalBatchesProcessed"], 10);
  EXPECT_EQ(seen["latestValidation"]["totalBatches"], 10);
  EXPECT_EQ(seen["latestValidation"]["metrics"]["avgMetrics"]["loss"], 0.5);
  EXPECT_EQ(seen["summaryMetrics"]["validation_metrics"]["loss"]["count"], 1);
  EXPECT_EQ(get("/api/v1/experiments/1/searcher/best_searcher_validation_metric").body()["metric"], 0.5);
  const json workloads = get(path + "/workloads?limit=500&offset=0").body();
  EXPECT_EQ(workloads["pagination"]["total"], 2);
  EXPECT_TRUE(workloads["workloads"][0].contains("training"));
  EXPECT_EQ(workloads["workloads"][1]["validation"]["state"], "STATE_COMPLETED");
  EXPECT_EQ(sql("SELECT event->>'request_id' FROM searcher_inbox"), trial.request_id);
}

// Whole lists are not put together for readers who take their time.
TEST_F(Trials, AreListedInPieces) {
  const std::string list = "/api/v1/experiments/1/trials";
  EXPECT_FALSE(unread(list).stream);
  for (int i = 0; i < 104; ++i) started_trial_of(trial.experiment, "other" + std::to_string(i));
  EXPECT_TRUE(unread(list).stream);
  const json all = get(list + "?orderBy=ORDER_BY_DESC").body();
  ASSERT_EQ(all["trials"].size(), 105U);
  for (std::size_t i = 0; i < 105; ++i) EXPECT_EQ(all["trials"][i]["id"], 105 - i);
  EXPECT_EQ(all["pagination"],
            (json{{"offset", 0}, {"limit", 0}, {"startIndex", 0}, {"endIndex", 105}, {"total", 105}}));
  const json some = get(list + "?limit=2&offset=3&states=STATE_ACTIVE").body();
  EXPECT_EQ(some["trials"][0]["id"], 4);
  EXPECT_EQ(some["pagination"],
            (json{{"offset", 3}, {"limit", 2}, {"startIndex", 3}, {"endIndex", 5}, {"total", 105}}));
}

TEST_F(Trials, ListTheirCheckpointsInPieces) {
  sql("INSERT INTO checkpoints (uuid, task_number, trial_id, allocation_id, report_time, state, steps, metadata, "
      "resources, size) SELECT gen_random_uuid(), t.task_number, t.id, 'a', now(), 'COMPLETED', i, '{}', '{}', 0 FROM "
      "trials t, generate_series(1, 120) i");
  for (const std::string& list : {path + "/checkpoints", std::string("/api/v1/experiments/1/checkpoints")}) {
    EXPECT_FALSE(unread(list + "?limit=50").stream);
    EXPECT_TRUE(unread(list).stream);
    const json all = get(list + "?sortByAttr=SORT_BY_BATCH_NUMBER&orderBy=ORDER_BY_DESC").body();
    ASSERT_EQ(all["checkpoints"].size(), 120U);
    for (std::size_t i = 0; i < 120; ++i) {
      EXPECT_EQ(all["checkpoints"][i]["metadata"], json::object());
      EXPECT_EQ(all["checkpoints"][i]["training"]["trialId"], trial.id.value);
    }
    EXPECT_EQ(all["pagination"]["endIndex"], 120);
    EXPECT_EQ(get(list + "?offset=121").status, 400);
    // In the order that was asked for, also from page to page.
    std::string in_order = sql("SELECT string_agg(uuid::text, ',' ORDER BY steps DESC) FROM checkpoints");
    std::string seen;
    for (const json& one : all["checkpoints"]) seen += (seen.empty() ? "" : ",") + one["uuid"].get<std::string>();
    EXPECT_EQ(seen, in_order);
  }
}

TEST_F(Trials, RefuseReportsOfAnotherTrialOrRun) {
  EXPECT_EQ(report("training", 1, {{"loss", 1}}, 7).error(), "invalid run id, 7 (reported) != 1 (expected)");
  path = "/api/v1/trials/99";
  EXPECT_THAT(report("training", 1, {{"loss", 1}}).error(), HasSubstr("metrics.trialId: 1 differs from the path's 99"));
  trial.id = {99};
  EXPECT_EQ(report("training", 1, {{"loss", 1}}).error(), "trial '99' not found");
}

// The training package ends its reports at the first one that is refused, and says so nowhere.
TEST_F(Trials, SayInTheirLogWhichReportWasRefused) {
  const json values = {{"trialId", 1}, {"trialRunId", 1}, {"stepsCompleted", -1}, {"metrics", json::object()}};
  const auto refused = post(path + "/metrics", {{"metrics", values}, {"group", "a"}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(get(path + "/logs?follow=false").text,
              AllOf(HasSubstr("A report of metrics was refused: " + refused.error()), HasSubstr("LOG_LEVEL_ERROR")));
}

TEST_F(Trials, TakeProgressInItsThreeForms) {
  EXPECT_EQ(post(path + "/progress", {{"progress", 0.25}, {"is_raw", true}}).text, "{}");
  test::run_until(io, [&] { return must(trials.find(trial.id))->progress == 0.25; });
  EXPECT_EQ(post(path + "/progress", {{"progress", 10}}).text, "{}");
  EXPECT_EQ(post(path + "/progress", 10).text, "{}");
  EXPECT_EQ(post(path + "/progress", {{"progress", 0.5}, {"is_raw", true}}).text, "{}");
  test::run_until(io, [&] { return must(trials.find(trial.id))->progress != 0.25; });
  EXPECT_EQ(must(trials.find(trial.id))->progress, 0.5) << "without max_length a length says nothing";
  EXPECT_EQ(post(path + "/progress", "ten").error(), "progress: expected a number, got \"ten\"");
  EXPECT_EQ(post(path + "/progress", "NaN").error(), "progress: expected a finite number, got \"NaN\"");
}

TEST_F(Trials, TellWhatTheyDo) {
  EXPECT_EQ(post(path + "/runner/metadata", {{"state", "training"}}).text, "{}");
  EXPECT_EQ(post(path + "/early_exit", {{"reason", "EXITED_REASON_INVALID_HP"}}).text, "{}");
  EXPECT_EQ(post(path + "/early_exit", {{"reason", "BORED"}}).status, 400);
  EXPECT_EQ(get(path).body()["trial"]["runnerState"], "training");
  EXPECT_EQ(must(trials.find(trial.id))->early_exit, "EXITED_REASON_INVALID_HP");
}

TEST_F(Trials, ShowTheirMetricsWithTheCheckpointThatTheyUse) {
  const std::string uuid = uuid_v4();
  must(checkpoints.report({.uuid = uuid,
                           .task_id = trial.task_id,
                           .allocation_id = trial.task_id + ".1",
                           .report_time = WallTime(std::chrono::seconds(1)),
                           .steps = 1}));
  const std::string metrics = "/api/v1/checkpoints/" + uuid + "/metrics";
  json info = {{"trialId", trial.id.value},
               {"checkpointUuid", uuid},
               {"trialSourceInfoType", "TRIAL_SOURCE_INFO_TYPE_INFERENCE"}};
  const auto link = [&] { return post("/api/v1/trial-source-info", {{"trialSourceInfo", info}}); };
  EXPECT_EQ(get(metrics).body()["metrics"], json::array());
  EXPECT_EQ(link().body(), json({{"trialId", trial.id.value}, {"checkpointUuid", uuid}}));
  EXPECT_EQ(report("inference", 3, {{"accuracy", 0.5}}).text, "{}");
  EXPECT_EQ(report("validation", 4, {{"loss", 0.25}}).text, "{}");
  const json found = get(metrics + "?trialSourceInfoType=TRIAL_SOURCE_INFO_TYPE_INFERENCE").body()["metrics"];
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]["metrics"]["avg_metrics"]["accuracy"], 0.5);
  EXPECT_EQ(found[0]["group"], "inference");
  EXPECT_EQ(found[0]["totalBatches"], 3);
  EXPECT_EQ(found[0]["trialId"], trial.id.value);
  EXPECT_EQ(found[1]["metrics"]["validation_metrics"]["loss"], 0.25);
  EXPECT_EQ(get(metrics + "?metricGroup=inference").body()["metrics"].size(), 1U);
  EXPECT_EQ(get(metrics + "?trialSourceInfoType=TRIAL_SOURCE_INFO_TYPE_FINE_TUNING").body()["metrics"], json::array());
  EXPECT_EQ(get(metrics + "?trialSourceInfoType=x").status, 400);
  EXPECT_EQ(get("/api/v1/checkpoints/x/metrics").status, 404);
  info["modelId"] = 3;
  info["modelVersion"] = 1;
  EXPECT_EQ(link().error(), "version 1 for model \"3\" not found");
  info.erase("modelId");
  info.erase("modelVersion");
  info["trialSourceInfoType"] = "x";
  EXPECT_THAT(link().error(), HasSubstr("trialSourceInfo.trialSourceInfoType: 'x' is not"));
  info["checkpointUuid"] = "x";
  info["trialSourceInfoType"] = "TRIAL_SOURCE_INFO_TYPE_FINE_TUNING";
  EXPECT_EQ(link().error(), "trialSourceInfo.checkpointUuid: 'x' is not the uuid of a checkpoint");
  info["trialId"] = 99;
  info["checkpointUuid"] = uuid;
  EXPECT_EQ(link().error(), "trial '99' not found");
  EXPECT_EQ(post("/api/v1/trial-source-info", json::object()).error(), "missing argument: trialSourceInfo");
}

TEST_F(Trials, AreListedBelowTheirExperiment) {
  const json list = get("/api/v1/experiments/1/trials").body();
  EXPECT_EQ(list["trials"].size(), 1U);
  EXPECT_EQ(list["trials"][0]["taskId"], trial.task_id);
  EXPECT_EQ(list["pagination"]["endIndex"], 1);
  EXPECT_EQ(get("/api/v1/experiments/9/trials").status, 404);
}

// The SDK's Trial.summary_metrics.
TEST_F(Trials, AreListedWithWhatTheirReportsAddUpTo) {
  report("validation", 10, {{"loss", 0.5}});
  report("inference", 40, {{"rows", 7}});
  const std::string list = "/api/v1/experiments/1/trials?sortBy=SORT_BY_LOG_RETENTION_DAYS";
  const json seen = get(list).body()["trials"][0];
  EXPECT_EQ(seen["summaryMetrics"]["validation_metrics"]["loss"]["min"], 0.5);
  EXPECT_EQ(seen["summaryMetrics"]["inference"]["rows"]["last"], 7);
  EXPECT_EQ(seen["totalBatchesProcessed"], 40) << "whatever group the reports are of";
  EXPECT_EQ(seen["logRetentionDays"], -1) << "what holds: nobody says anything";
  EXPECT_EQ(get(list + "&includeSummaryMetrics=false").body()["trials"][0]["summaryMetrics"], nullptr);
  services.settings.master.log_retention.days = 90;
  EXPECT_EQ(get(path).body()["trial"]["logRetentionDays"], 90);
  sql("UPDATE experiments SET log_retention_days = 7 RETURNING id");
  EXPECT_EQ(get(list).body()["trials"][0]["logRetentionDays"], 7);
}

TEST_F(Trials, ShowTheMetricsOfBatchesWithCheckpoints) {
  report("training", 10, {{"loss", 1.5}});
  report("validation", 10, {{"loss", 0.5}});
  const json found = get(path + "/workloads?filter=FILTER_OPTION_CHECKPOINT").body()["workloads"];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].contains("validation")) << "pages join it with the checkpoint of the same batches";
}

TEST_F(Trials, SaveCheckpoints) {
  const std::string uuid = uuid_v4();
  const json body = {{"uuid", uuid},
                     {"taskId", trial.task_id},
                     {"allocationId", trial.task_id + ".1"},
                     {"reportTime", "2026-11-21T02:43:35.048186+00:00"},
                     {"state", "STATE_COMPLETED"},
                     {"metadata", {{"steps_completed", 3}}},
                     {"resources", {{"a", "5"}, {"b", "7"}}},
                     {"training", json::object()}};
  EXPECT_EQ(post("/api/v1/checkpoints", body).text, "{}");
  const json seen = get("/api/v1/checkpoints/" + uuid).body()["checkpoint"];
  EXPECT_EQ(seen["resources"], (json{{"a", "5"}, {"b", "7"}}));
  EXPECT_EQ(seen["training"]["trialId"], trial.id.value);
  const json patch = {{"checkpoints", {{{"uuid", uuid}, {"resources", {{"resources", {{"a", "5"}}}}}}}}};
  EXPECT_EQ(call("PATCH", "/api/v1/checkpoints", patch.dump()).text, "{}");
  EXPECT_EQ(get("/api/v1/checkpoints/" + uuid).body()["checkpoint"]["state"], "STATE_PARTIALLY_DELETED");
  EXPECT_EQ(get(path + "/checkpoints?sortByAttr=SORT_BY_BATCH_NUMBER").body()["checkpoints"].size(), 1U);
  EXPECT_EQ(get("/api/v1/experiments/1/checkpoints").body()["checkpoints"].size(), 1U);
  EXPECT_EQ(get("/api/v1/checkpoints/nonsense").status, 404);
  const std::string metadata = "/api/v1/checkpoints/" + uuid + "/metadata";
  token = must(authenticator.login({.username = "determined", .password = "", .is_hashed = true, .peer = ""})).token;
  const json said = {{"uuid", uuid}, {"metadata", {{"good", true}, {"steps_completed", 3}}}};
  EXPECT_EQ(post(metadata, {{"checkpoint", said}}).body()["checkpoint"]["metadata"], said["metadata"]);
  EXPECT_EQ(get("/api/v1/checkpoints/" + uuid).body()["checkpoint"]["metadata"], said["metadata"]);
  EXPECT_EQ(post(metadata, {{"checkpoint", {{"metadata", 7}}}}).error(), "checkpoint.metadata: must be an object");
  EXPECT_EQ(post("/api/v1/checkpoints/" + uuid_v4() + "/metadata", {{"checkpoint", said}}).status, 404);
}

TEST_F(Trials, SayWhichLogPolicyMatched) {
  EXPECT_FALSE(get(path).body()["trial"].contains("logPolicyMatched"));
  must(trials.note_log_verdict(trial.id, {.policy = "bug", .excluded_node = {}, .cancels_retries = false, .why = {}}));
  EXPECT_EQ(get(path).body()["trial"]["logPolicyMatched"], "bug");
}

TEST_F(Trials, SayFromWhichCheckpointTheyWillStart) {
  const std::string uuid = uuid_v4();
  must(checkpoints.report({.uuid = uuid, .task_id = trial.task_id, .steps = 3, .resources = {{"a", 7}}}));
  sql("UPDATE trials SET run = 0 RETURNING 1");
  EXPECT_EQ(get(path).body()["trial"]["warmStartCheckpointUuid"], "");
  sql("UPDATE experiments SET config = jsonb_set(config, '{searcher,source_trial_id}', '" + to_string(trial.id) +
      "') RETURNING 1");
  EXPECT_EQ(get(path).body()["trial"]["warmStartCheckpointUuid"], uuid);
  sql("UPDATE checkpoints SET state = 'DELETED' RETURNING 1");
  EXPECT_EQ(get(path).body()["trial"]["warmStartCheckpointUuid"], "") << "it is gone";
}

TEST_F(Trials, GiveTheSameStorageTheSameNumber) {
  json start = {{"runId", trial.id.value}, {"checkpointStorage", {{"type", "shared_fs"}, {"host_path", "/tmp"}}}};
  const json first = post("/api/v1/runs/start", start).body();
  EXPECT_TRUE(first["storageId"].is_number_integer());
  EXPECT_EQ(post("/api/v1/runs/start", start).body(), first);
  start["runId"] = 99;
  EXPECT_EQ(post("/api/v1/runs/start", start).error(), "trial '99' not found");
  start.erase("runId");
  EXPECT_EQ(post("/api/v1/runs/start", start).error(), "missing argument: runId");
  EXPECT_EQ(post("/api/v1/runs/start", {{"runId", trial.id.value}}).text, "{}") << "it keeps no checkpoints";
}

TEST_F(Trials, StreamTheirLog) {
  EXPECT_EQ(log("one").text, "{}");
  EXPECT_EQ(log("two\n").text, "{}");
  const std::string text = get(path + "/logs?follow=false").text;
  EXPECT_THAT(text, HasSubstr("{\"result\":{"));
  const json first = json::parse(text.substr(0, text.find('\n')))["result"];
  EXPECT_EQ(first["log"], "one\n");
  EXPECT_EQ(first["message"], "[2026-11-21T02:41:21.500000Z]          || one\n");
  EXPECT_EQ(first["trialId"], trial.id.value);
  EXPECT_THAT(get("/api/v1/tasks/" + trial.task_id + "/logs?limit=1&orderBy=ORDER_BY_DESC").text, HasSubstr("two"));
  EXPECT_EQ(get("/api/v1/tasks/nothing/logs").status, 404);
}

TEST_F(Trials, KeepLinesOnceWhoseAnswerWasLost) {
  const auto again = [this](const std::string& query, const json& line) {
    json lines = json::array({line});
    lines[0].update({{"task_id", trial.task_id}, {"log", "one\n"}});
    return post("/api/v1/task/logs" + query, {{"logs", std::move(lines)}}).status;
  };
  const auto count = [this] { return sql("SELECT log_lines FROM tasks WHERE id = '" + trial.task_id + "'"); };
  const json timed = {{"timestamp", "2026-11-21T02:41:21.5Z"}};
  EXPECT_EQ(again("?retry=true", timed), 200);
  EXPECT_EQ(count(), "1") << "it was not kept the first time";
  EXPECT_EQ(again("?retry=true", timed), 200);
  EXPECT_EQ(count(), "1");
  EXPECT_EQ(again("?retry=false", timed), 200);
  EXPECT_EQ(count(), "2") << "nobody says that it is sent again";
  EXPECT_EQ(again("?retry=true", json::object()), 200);
  EXPECT_EQ(count(), "3") << "without a time nobody knows";
  EXPECT_EQ(again("?retry=perhaps", timed), 400);
}

TEST_F(Trials, LetFollowersGoWhenTheyEnd) {
  EXPECT_EQ(log("last").text, "{}");
  end();
  EXPECT_THAT(get(path + "/logs?follow=true").text, HasSubstr("last"));
}

TEST_F(Trials, TellWhichFieldsTheirLogHas) {
  post("/api/v1/task/logs", {{"logs",
                              {{{"task_id", trial.task_id},
                                {"log", "x"},
                                {"rank_id", 3},
                                {"stdtype", "stderr"},
                                {"source", "task"},
                                {"agent_id", "node1"},
                                {"container_id", "pod"}}}}});
  EXPECT_EQ(json::parse(get(path + "/logs/fields?follow=false").text)["result"], json::parse(R"({"agentIds":["node1"],
    "allocationIds":[],"containerIds":["pod"],"rankIds":[3],"sources":["task"],"stdtypes":["stderr"]})"));
}

TEST_F(Trials, ShowTheirTask) {
  const json task = get("/api/v1/tasks/" + trial.task_id).body()["task"];
  EXPECT_EQ(task["taskType"], "TASK_TYPE_TRIAL");
  EXPECT_EQ(task["allocations"][0]["allocationId"], trial.task_id + ".1");
  EXPECT_EQ(get("/api/v1/tasks/" + trial.task_id + "/context_directory").body()["b64Tgz"], "");
}

TEST_F(Trials, AreKilledThroughTheirObject) {
  sql("UPDATE experiments SET uid = 'u1', namespace = 'team', object_name = 'exp-1'");
  kubernetes.create(
      k8s::trials(),
      {{"apiVersion", "det-operator.dev/v1alpha1"},
       {"kind", "Trial"},
       {"metadata",
        {{"name", "exp-1-1"},
         {"namespace", "team"},
         {"labels", {{"determined.ai/trial_id", to_string(trial.id)}}},
         {"ownerReferences",
          {{{"apiVersion", "det-operator.dev/v1alpha1"}, {"kind", "Experiment"}, {"name", "exp-1"}, {"uid", "u1"}}}}}},
       {"spec", {{"trialID", trial.id.value}}}});
  EXPECT_EQ(post(path + "/kill").text, "{}");
  EXPECT_EQ(kubernetes.find(k8s::trials(), {.ns = "team", .name = "exp-1-1"})["spec"]["stop"], "Kill");
  end();
  EXPECT_EQ(post(path + "/kill").text, "{}");
}

TEST_F(Trials, AreKilledWithoutAnObjectToo) {
  sql("UPDATE experiments SET uid = 'u1', namespace = 'team', object_name = 'exp-1'");
  EXPECT_EQ(post(path + "/kill").text, "{}");
  EXPECT_EQ(must(trials.find(trial.id))->early_exit, "EXITED_REASON_USER_CANCELED") << "the leader ends it";
}

TEST_F(Trials, AskTheirAllocationWhetherToStop) {
  const std::string allocation = "/api/v1/allocations/" + trial.task_id + ".1";
  EXPECT_EQ(get(allocation + "/signals/preemption?timeout_seconds=0").body()["preempt"], false);
  EXPECT_EQ(post(allocation + "/signals/pending_preemption").text, "{}");
  EXPECT_EQ(get(allocation + "/signals/preemption?timeout_seconds=60").body()["preempt"], true);
  EXPECT_EQ(post(allocation + "/signals/ack_preemption").text, "{}");
  EXPECT_EQ(get("/api/v1/allocations/9.9/signals/preemption").status, 404);
}

TEST_F(Trials, AreServedOpenlyOnlyWhereTheyMust) {
  token.clear();
  EXPECT_EQ(get("/info").body()["version"], "0.38.1");
  EXPECT_EQ(get("/api/v1/master").body()["clusterName"], "lab");
  EXPECT_EQ(get("/health").body()["database"], "up");
  EXPECT_EQ(get("/ready").body(), json({{"status", "ready"}}));
  services.tasks_missing = [] { return "Apply crds/tasks.yaml"; };
  EXPECT_EQ(get("/ready").body(), json({{"status", "ready"}, {"details", {{"tasks", "Apply crds/tasks.yaml"}}}}));
  EXPECT_EQ(get("/").status, 200);
  EXPECT_EQ(get(path).status, 401);
  EXPECT_EQ(get("/api/v1/agents").status, 401);
  EXPECT_EQ(get("/api/v1/nothing-there").status, 501);
}

TEST_F(ApiTest, MetricsAreForPrometheusAndNeedNoToken) {
  create();
  create(kConst, false);
  token.clear();
  services.is_leading = [] { return true; };
  const Answer answer = get("/metrics");
  EXPECT_EQ(answer.headers.find("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const char* line : {"\ndet_operator_leader 1\n", "\ndet_operator_database_up 1\n",
                           "\ndet_experiments{state=\"ACTIVE\"} 1\n", "\ndet_experiments{state=\"PAUSED\"} 1\n"}) {
    EXPECT_NE(answer.text.find(line), std::string::npos) << line << answer.text;
  }
}

TEST_F(Trials, HaveUsersToReadAndChange) {
  const json list = get("/api/v1/users?active=true&offset=0").body();
  EXPECT_EQ(list["users"].size(), 2U);
  EXPECT_EQ(get("/api/v1/users/determined/by-username").body()["user"]["id"], 2);
  EXPECT_EQ(get("/api/v1/users/99").status, 404);
  EXPECT_EQ(post("/api/v1/users", {{"user", {{"username", "ann"}}}}).status, 403);
  EXPECT_EQ(call("PATCH", "/api/v1/users/2", R"({"password":"secret","isHashed":false})").status, 200);
  EXPECT_EQ(post("/api/v1/auth/login", {{"username", "determined"}, {"password", ""}}).status, 401);
  EXPECT_EQ(post("/api/v1/auth/login", {{"username", "determined"}, {"password", "secret"}}).status, 200);
}

}  // namespace
}  // namespace det::api
