#include <gmock/gmock.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct UnmanagedRoutes : ApiTest {
  static json request(const std::string& more = {}) {
    return {{"config",
             "name: laptop\nsearcher: {name: single, metric: loss}\n"
             "checkpoint_storage: {type: shared_fs, host_path: /home/me/checkpoints}\n" +
                 more},
            {"unmanaged", true}};
  }
  std::int64_t experiment() {
    const Answer made = post("/api/v1/experiments", request());
    EXPECT_EQ(made.status, 200) << made.text;
    EXPECT_EQ(made.body()["experiment"]["unmanaged"], true);
    EXPECT_EQ(made.body()["experiment"]["state"], "STATE_PAUSED");
    return made.body()["experiment"].value("id", std::int64_t{0});
  }
  json trial_of(std::int64_t experiment) {
    const Answer made =
        post("/api/v1/trials", {{"experimentId", experiment}, {"unmanaged", true}, {"hparams", {{"lr", 0.1}}}});
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body()["trial"];
  }
  Answer put(const std::string& path, const json& body) { return call("PUT", path, body.dump()); }
  Answer patch(const std::string& path, const json& body) { return call("PATCH", path, body.dump()); }
  void log_in(const std::string& user) {
    token = must(authenticator.login({.username = user, .password = "", .is_hashed = true, .peer = ""})).token;
  }
};

TEST_F(UnmanagedRoutes, ATrialFromItsStartToItsEnd) {
  const std::int64_t id = experiment();
  EXPECT_TRUE(object(id).is_null());
  const json trial = trial_of(id);
  EXPECT_EQ(trial["state"], "STATE_PAUSED");
  const std::string path = "/api/v1/trials/" + trial["id"].dump();
  EXPECT_EQ(post(path + "/start", {{"resume", true}}).text, R"({"stepsCompleted":0,"trialRunId":1})");
  EXPECT_EQ(patch(path, {{"state", "STATE_RUNNING"}}).body()["trial"]["state"], "STATE_RUNNING");
  const auto report = [&](int steps, double loss) {
    return post(path + "/metrics", {{"group", "validation"},
                                    {"metrics",
                                     {{"trialId", trial["id"]},
                                      {"trialRunId", 1},
                                      {"stepsCompleted", steps},
                                      {"metrics", {{"avgMetrics", {{"loss", loss}}}}}}}});
  };
  EXPECT_EQ(report(1, 0.5).text, "{}");
  EXPECT_EQ(report(2, 0.7).text, "{}");
  const json line = {
      {"task_id", trial["taskId"]}, {"log", "hello\n"}, {"rank", "0"}, {"timestamp", "2026-11-25T01:00:00Z"}};
  EXPECT_EQ(post("/task-logs", json::array({line, line})).text, "{}");
  EXPECT_THAT(get(path + "/logs").text, HasSubstr("hello"));
  EXPECT_EQ(patch(path, {{"state", "STATE_COMPLETED"}}).body()["trial"]["state"], "STATE_COMPLETED");
  const json seen = get("/api/v1/experiments/" + std::to_string(id)).body()["experiment"];
  EXPECT_EQ(seen["state"], "STATE_COMPLETED");
  EXPECT_EQ(seen["progress"], 1.0);
  EXPECT_EQ(seen["bestTrialSearcherMetric"], 0.5);
  // No search is there that would ever take it out again.
  EXPECT_EQ(sql("SELECT count(*) FROM searcher_inbox"), "0");
  EXPECT_THAT(get("/api/v1/job-queues-v2?resourcePool=default").text, testing::Not(HasSubstr("laptop")));
}

TEST_F(UnmanagedRoutes, AProgramThatWasStartedAgainElsewhereReportsNothingMore) {
  const json trial = trial_of(experiment());
  const std::string path = "/api/v1/trials/" + trial["id"].dump();
  const auto start = [&] { return post(path + "/start", {{"resume", true}}).body()["trialRunId"]; };
  const auto report = [&](const json& run, int steps) {
    return post(path + "/metrics", {{"group", "training"},
                                    {"metrics",
                                     {{"trialId", trial["id"]},
                                      {"trialRunId", run},
                                      {"stepsCompleted", steps},
                                      {"metrics", {{"avgMetrics", {{"loss", 1}}}}}}}});
  };
  const json first = start();
  EXPECT_EQ(report(first, 1).text, "{}");
  const json second = start();
  ASSERT_NE(first, second);
  EXPECT_THAT(report(first, 2).error(), HasSubstr("invalid run id, 1 (reported) != 2 (expected)"));
  EXPECT_EQ(report(second, 2).text, "{}");
}

TEST_F(UnmanagedRoutes, AreFoundByTheirNames) {
  const Answer made = put("/api/v1/experiments/by-external-id/my%20run", request());
  ASSERT_EQ(made.status, 200) << made.text;
  const json first = made.body()["experiment"];
  EXPECT_EQ(first["externalExperimentId"], "my run");
  const json again = put("/api/v1/experiments/by-external-id/my%20run", request("data: {a: 1}\n")).body();
  EXPECT_EQ(again["experiment"]["id"], first["id"]);
  EXPECT_EQ(get("/api/v1/experiments/" + first["id"].dump()).body()["config"]["data"]["a"], 1);
  const json wanted = {{"createTrialRequest", {{"experimentId", first["id"]}, {"unmanaged", true}}},
                       {"externalTrialId", "t/1"}};
  const json trial = put("/api/v1/trials", wanted).body()["trial"];
  EXPECT_EQ(put("/api/v1/trials", wanted).body()["trial"]["id"], trial["id"]);
  EXPECT_EQ(get("/api/v1/trials/by-external-id/my%20run/t%2F1").body()["trial"]["id"], trial["id"]);
  EXPECT_EQ(get("/api/v1/trials/by-external-id/my%20run/t2").status, 404);
  const json runs = post("/api/v1/runs", {{"filter", R"({"filterGroup":{"kind":"group","conjunction":"and","children":[
      {"kind":"field","columnName":"externalRunId","location":"LOCATION_TYPE_RUN","operator":"=","value":"t/1",
       "type":"COLUMN_TYPE_TEXT"}]},"showArchived":false})"}})
                        .body();
  ASSERT_EQ(runs["runs"].size(), 1U) << runs;
  EXPECT_EQ(runs["runs"][0]["externalRunId"], "t/1");
  EXPECT_EQ(runs["runs"][0]["experiment"]["externalExperimentId"], "my run");
  EXPECT_EQ(runs["runs"][0]["experiment"]["unmanaged"], true);
}

TEST_F(UnmanagedRoutes, NameWhatIsWrong) {
  const std::int64_t managed = create();
  EXPECT_EQ(post("/api/v1/trials", {{"experimentId", managed}, {"unmanaged", true}}).error(),
            "trials can only be created on unmanaged experiments");
  EXPECT_EQ(post("/api/v1/trials", {{"experimentId", managed}}).error(), "only unmanaged trials are supported");
  EXPECT_EQ(post("/api/v1/trials", json::object()).error(), "missing argument: experimentId");
  json body = request();
  body["unmanaged"] = false;
  EXPECT_EQ(put("/api/v1/experiments/by-external-id/x", body).error(), "only unmanaged experiments are supported");
  body = request();
  body["parentId"] = managed;
  EXPECT_EQ(put("/api/v1/experiments/by-external-id/x", body).error(), "can't fork into an unmanaged experiment");
  EXPECT_THAT(put("/api/v1/experiments/by-external-id/" + std::string(257, 'x'), request()).error(),
              HasSubstr("externalExperimentId: expected 1 to 256 bytes of printable text"));
  EXPECT_THAT(put("/api/v1/experiments/by-external-id/a%1Bb", request()).error(), HasSubstr("printable"));
  const json trial = trial_of(experiment());
  const std::string path = "/api/v1/trials/" + trial["id"].dump();
  EXPECT_THAT(patch(path, {{"state", "STATE_DELETED"}}).error(),
              HasSubstr("state: 'STATE_DELETED' is not STATE_RUNNING, STATE_COMPLETED"));
  EXPECT_THAT(patch(path, json::object()).error(), HasSubstr("was not started yet"));
  EXPECT_THAT(post("/api/v1/trials", {{"experimentId", 1}, {"unmanaged", true}, {"hparams", 5}}).error(),
              HasSubstr("hparams: expected an object"));
  EXPECT_THAT(call("POST", "/task-logs", "{}").error(), HasSubstr("expected a list of log lines"));
}

TEST_F(UnmanagedRoutes, AreNotStoppedFromHereButDeletedAndCanceled) {
  const std::int64_t id = experiment();
  const json trial = trial_of(id);
  const std::string path = "/api/v1/experiments/" + std::to_string(id);
  for (const char* verb : {"/pause", "/activate"}) {
    const Answer refused = post(path + verb);
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(refused.error(), HasSubstr("is unmanaged"));
  }
  EXPECT_THAT(post("/api/v1/experiments/continue", {{"id", id}}).error(), HasSubstr("start its program again"));
  EXPECT_THAT(patch(path, {{"resources", {{"priority", 3}}}}).error(), HasSubstr("is unmanaged"));
  EXPECT_THAT(post("/api/v1/trials/" + trial["id"].dump() + "/kill").error(), HasSubstr("is unmanaged"));
  EXPECT_EQ(patch(path, {{"name", "other"}}).body()["experiment"]["name"], "other");
  EXPECT_EQ(post(path + "/kill").text, "{}");
  EXPECT_EQ(get(path).body()["experiment"]["state"], "STATE_CANCELED");
  EXPECT_EQ(call("DELETE", path).text, "{}");
  // Its files are on another machine: nothing is sent to remove them.
  EXPECT_EQ(sql("SELECT count(*) FROM removals"), "0");
}

TEST_F(UnmanagedRoutes, BelongToWhoMadeThem) {
  const std::string path = "/api/v1/experiments/by-external-id/mine";
  const json made = put(path, request()).body()["experiment"];
  const json trial = trial_of(made["id"].get<std::int64_t>());
  sql("INSERT INTO users (username) VALUES ('mallory') RETURNING id");
  log_in("mallory");
  EXPECT_EQ(put(path, request()).status, 403);
  EXPECT_EQ(post("/api/v1/trials", {{"experimentId", made["id"]}, {"unmanaged", true}}).status, 403);
  const std::string of_trial = "/api/v1/trials/" + trial["id"].dump();
  EXPECT_EQ(post(of_trial + "/start", {{"resume", true}}).status, 403);
  EXPECT_EQ(patch(of_trial, {{"state", "STATE_ERROR"}}).status, 403);
  EXPECT_EQ(post("/task-logs", json::array({{{"task_id", trial["taskId"]}, {"log", "x"}}})).status, 403);
  log_in("admin");
  EXPECT_EQ(put(path, request()).body()["experiment"]["id"], made["id"]);
}

TEST_F(UnmanagedRoutes, StayWithinThePolicyOfPods) {
  // Some day a pod may have to do something for them.
  services.settings.master.pod_policies = {};
  const Answer made = post("/api/v1/experiments", request("environment: {pod_spec: {spec: {hostPID: true}}}\n"));
  EXPECT_EQ(made.status, 400) << made.text;
  EXPECT_THAT(made.error(), HasSubstr("hostPID"));
}

}  // namespace
}  // namespace det::api
