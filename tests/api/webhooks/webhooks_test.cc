#include <algorithm>

#include <gmock/gmock.h>

#include "base/encoding.h"
#include "tests/api/fixture.h"
#include "tests/support/background.h"

namespace det::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Webhooks : ApiTest {
  Webhooks() { log_in("admin"); }

  void log_in(const std::string& user) {
    token = must(authenticator.login({.username = user, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  static json on_state(const std::string& state = "COMPLETED") {
    return {{"triggerType", "TRIGGER_TYPE_EXPERIMENT_STATE_CHANGE"}, {"condition", {{"state", state}}}};
  }
  static json on_log(const std::string& regex) {
    return {{"triggerType", "TRIGGER_TYPE_TASK_LOG"}, {"condition", {{"regex", regex}}}};
  }
  static json hook(const json& trigger, json more = json::object()) {
    json body = {{"url", "https://hooks.example.com/services/SECRET"},
                 {"webhookType", "WEBHOOK_TYPE_DEFAULT"},
                 {"mode", "WEBHOOK_MODE_WORKSPACE"},
                 {"name", ""},
                 {"workspaceId", nullptr},
                 {"triggers", json::array({trigger})}};
    body.update(more);
    return body;
  }
  json make(const json& body) {
    const Answer made = post("/api/v1/webhooks", body);
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body()["webhook"];
  }
  std::int64_t experiment_with(const json& config = json::object(), std::int64_t project = 1) {
    store::NewExperiment made = experiment();
    made.config.update(config);
    made.project = {project};
    return must(experiments.insert(std::move(made))).id.value;
  }
  void end(std::int64_t id, model::ExperimentState state = model::ExperimentState::kCompleted) {
    const store::Epoch epoch = must(cluster.load_or_create()).epoch;
    EXPECT_TRUE(must(experiments.transition(epoch, {id}, {model::ExperimentState::kActive}, state, "")));
  }
  std::size_t send() { return must(webhook_sender.send_due()); }
  // The bodies of what receivers were sent.
  std::vector<json> sent() {
    std::vector<json> bodies;
    for (const HttpRequest& request : receivers.requests()) bodies.push_back(json::parse(request.body));
    return bodies;
  }
  json deliveries_of(const json& webhook) {
    return get("/api/v1/webhooks/" + webhook["id"].dump() + "/deliveries").body()["deliveries"];
  }
};

TEST_F(Webhooks, AreToldOfTheStatesTheyAskFor) {
  const json webhook = make(hook(on_state()));
  const std::int64_t failed = experiment_with();
  end(failed, model::ExperimentState::kError);
  EXPECT_EQ(send(), 0U);
  const std::int64_t id = experiment_with();
  end(id);
  receivers.answer(200, json::object());
  EXPECT_EQ(send(), 1U);
  const json said = sent().at(0);
  EXPECT_EQ(said["event_type"], "EXPERIMENT_STATE_CHANGE");
  EXPECT_EQ(said["event_data"]["experiment"]["id"], id);
  EXPECT_EQ(said["event_data"]["experiment"]["state"], "COMPLETED");
  EXPECT_EQ(said["event_data"]["experiment"]["workspace"], "Uncategorized");
  const HttpRequest& request = receivers.requests().at(0);
  EXPECT_EQ(request.url, "https://hooks.example.com/services/SECRET");
  EXPECT_EQ(request.headers[1].second, hmac_sha256_hex("key", request.headers[0].second + "," + request.body));
  const json log = deliveries_of(webhook);
  EXPECT_EQ(log[0]["state"], "DELIVERED");
  EXPECT_EQ(log[0]["status"], 200);
  EXPECT_EQ(log[0]["eventId"], said["event_id"]);
  EXPECT_EQ(send(), 0U) << "once";
}

TEST_F(Webhooks, WhatFailsIsTriedAgainAndGivenUp) {
  const json webhook = make(hook(on_state()));
  end(experiment_with());
  for (int attempt = 1; attempt <= 6; ++attempt) {
    receivers.fail_with(ErrorCode::kUnavailable,
                        "POST https://hooks.example.com:443/services/SECRET: Connection refused");
    EXPECT_EQ(send(), 1U) << attempt;
    EXPECT_EQ(send(), 0U) << "not at once";
    sql("UPDATE webhook_deliveries SET next_at = now() WHERE state = 'WAITING' RETURNING id");
  }
  EXPECT_EQ(send(), 0U);
  const json log = deliveries_of(webhook);
  EXPECT_EQ(log[0]["state"], "FAILED");
  EXPECT_EQ(log[0]["attempts"], 6);
  EXPECT_EQ(log[0]["error"], "Connection refused");
  EXPECT_THAT(log.dump(), Not(HasSubstr("SECRET")));
}

TEST_F(Webhooks, WhatIsRefusedOrLeadsElsewhereIsNotTriedAgain) {
  make(hook(on_state()));
  for (const int status : {400, 302}) {
    end(experiment_with());
    receivers.answer(status, json::object());
    EXPECT_EQ(send(), 1U);
  }
  EXPECT_EQ(sql("SELECT string_agg(state || ' ' || status, ',' ORDER BY id) FROM webhook_deliveries"),
            "FAILED 400,FAILED 302");
}

TEST_F(Webhooks, WhoDiesWithAMessageLeavesItToOthers) {
  make(hook(on_state()));
  end(experiment_with());
  EXPECT_EQ(must(deliveries.claim(10, std::chrono::seconds(60), store::Receivers::kAll)).size(), 1U);
  EXPECT_EQ(send(), 0U) << "another has it";
  sql("UPDATE webhook_deliveries SET next_at = now() RETURNING id");
  EXPECT_EQ(send(), 0U) << "and the webhook";
  sql("UPDATE webhooks SET busy_until = now() RETURNING id");
  receivers.answer(200, json::object());
  EXPECT_EQ(send(), 1U);
}

TEST_F(Webhooks, OfAWorkspaceHearOfItsExperimentsOnly) {
  sql("INSERT INTO workspaces (id, name, owner_id) VALUES (7, 'sea', 2) RETURNING id");
  sql("INSERT INTO projects (id, workspace_id, name, owner_id) VALUES (8, 7, 'boats', 2) RETURNING id");
  make(hook(on_state(), {{"workspaceId", 7}}));
  end(experiment_with());
  EXPECT_EQ(send(), 0U);
  end(experiment_with(json::object(), 8));
  receivers.answer(200, json::object());
  EXPECT_EQ(send(), 1U);
  end(experiment_with({{"integrations", {{"webhooks", {{"exclude", true}}}}}}, 8));
  EXPECT_EQ(send(), 0U) << "it says that nobody is to be told";
}

TEST_F(Webhooks, SpecificOnesHearOfThoseThatNameThem) {
  const json named = make(hook(on_state(), {{"mode", "WEBHOOK_MODE_SPECIFIC"}, {"name", "mine"}}));
  const auto naming = [](const json& webhooks) { return json{{"integrations", {{"webhooks", webhooks}}}}; };
  end(experiment_with());
  end(experiment_with(naming({{"webhook_name", {"other"}}, {"webhook_id", nullptr}})));
  EXPECT_EQ(send(), 0U);
  end(experiment_with(naming({{"webhook_name", {"mine"}}})));
  receivers.answer(200, json::object());
  EXPECT_EQ(send(), 1U);
  end(experiment_with(naming({{"webhook_id", {named["id"], 99}}})));
  receivers.answer(200, json::object());
  EXPECT_EQ(send(), 1U);
}

TEST_F(Webhooks, LinesOfLogsAreToldOnceOfEachTask) {
  make(hook(on_log("exit.*code 7"), {{"webhookType", "WEBHOOK_TYPE_SLACK"}}));
  const store::TrialRow trial = started_trial("mine");
  const json line = {{"task_id", trial.task_id},
                     {"agent_id", "node-1"},
                     {"timestamp", "2026-01-01T00:00:00Z"},
                     {"log", "exit with code 7\n"}};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(post("/api/v1/task/logs", {{"logs", {line, line}}}).status, 200);
  log_triggers.forget_all();
  EXPECT_EQ(post("/api/v1/task/logs", {{"logs", {line}}}).status, 200);
  receivers.answer(200, json::object());
  EXPECT_EQ(send(), 1U);
  EXPECT_EQ(send(), 0U);
  EXPECT_THAT(receivers.requests().at(0).body, HasSubstr("This log matched the regex"));
  EXPECT_THAT(receivers.requests().at(0).body, HasSubstr("node-1"));
}

TEST_F(Webhooks, ALineThatFindsTheQueueFullIsToldWhenItComesAgain) {
  const json made = make(hook(on_log("code 7")));
  const store::TrialRow trial = started_trial("mine");
  const json line = {{"task_id", trial.task_id}, {"timestamp", "2026-01-01T00:00:00Z"}, {"log", "exit with code 7\n"}};
  sql("INSERT INTO webhook_deliveries (webhook_id, cause, facts) SELECT " + made["id"].dump() +
      ", 'TASK_LOG', '{}' FROM generate_series(1, " + std::to_string(store::WebhookEventStore::kMostWaiting) +
      ") RETURNING id");
  EXPECT_EQ(post("/api/v1/task/logs", {{"logs", {line}}}).status, 200);
  sql("DELETE FROM webhook_deliveries RETURNING id");
  EXPECT_EQ(post("/api/v1/task/logs", {{"logs", {line}}}).status, 200);
  receivers.answer(200, json::object());
  EXPECT_EQ(send(), 1U);
}

TEST_F(Webhooks, TrainingCodeTellsWhatItsExperimentNames) {
  const json on_custom = {{"triggerType", "TRIGGER_TYPE_CUSTOM"}, {"condition", json::object()}};
  EXPECT_THAT(post("/api/v1/webhooks", hook(on_custom)).error(),
              HasSubstr("custom trigger only works on webhook with mode 'SPECIFIC'"));
  make(hook(on_custom, {{"mode", "WEBHOOK_MODE_SPECIFIC"}, {"name", "mine"}}));
  const std::int64_t id = experiment_with({{"integrations", {{"webhooks", {{"webhook_name", {"mine"}}}}}}});
  const store::TrialRow trial = started_trial_of({id}, "mine");
  const json event = {
      {"experimentId", id},
      {"trialId", trial.id.value},
      {"data", {{"level", "LOG_LEVEL_DEBUG"}, {"title", "t"}, {"description", std::string(20'000, 'd')}}}};
  json strange = event;
  strange["trialId"] = started_trial().id.value;
  EXPECT_EQ(post("/api/v1/webhooks/custom", strange).status, 404) << "another experiment's trial";
  strange = {{"experimentId", 999}, {"data", json::object()}};
  EXPECT_EQ(post("/api/v1/webhooks/custom", strange).error(), "experiment '999' not found");
  token = "mine";
  EXPECT_EQ(post("/api/v1/webhooks/custom", event).status, 200);
  receivers.answer(200, json::object());
  EXPECT_EQ(send(), 1U);
  const json data = sent().at(0)["event_data"];
  EXPECT_EQ(data["custom_data"]["level"], "DEBUG");
  EXPECT_EQ(data["custom_data"]["description"].get<std::string>().size(), 10'000U);
  EXPECT_EQ(data["experiment"]["trial_id"], trial.id.value);
  json others = event;
  others["experimentId"] = experiment_with();
  EXPECT_EQ(post("/api/v1/webhooks/custom", others).status, 403);
  json loud = event;
  loud["data"]["level"] = "LOUD";
  EXPECT_THAT(post("/api/v1/webhooks/custom", loud).error(), HasSubstr("data.level: 'LOUD'"));
}

TEST_F(Webhooks, WhoSaysNothingDelaysNobodyElse) {
  const json deaf = make(hook(on_state("COMPLETED"), {{"url", "https://deaf.example.com/"}}));
  for (int i = 0; i < 40; ++i) end(experiment_with());
  const auto asked = [this](const std::string& url) {
    return std::ranges::count(receivers.requests(), url, &HttpRequest::url);
  };
  test::Background background(io);
  background.start(webhook_sender.run());
  test::run_until(io, [&] { return asked("https://deaf.example.com/") == 1; });
  make(hook(on_state("ERROR"), {{"url", "https://quick.example.com/"}}));
  for (int i = 0; i < 20; ++i) {
    receivers.answer(200, json::object());
    end(experiment_with(), model::ExperimentState::kError);
  }
  webhook_sender.wake();
  test::run_until(io, [&] { return asked("https://quick.example.com/") == 20; });
  EXPECT_EQ(asked("https://deaf.example.com/"), 1) << "one at a time";
  background.stop();
  EXPECT_EQ(deliveries_of(deaf)[0]["state"], "WAITING");
}

TEST_F(Webhooks, TakeTurnsAndSlowOnesComeLast) {
  for (const char* name : {"slow", "first", "second"}) {
    make(hook(on_state(), {{"name", name}, {"url", std::string("https://") + name + ".example.com/"}}));
  }
  for (int i = 0; i < 3; ++i) end(experiment_with());
  sql("UPDATE webhooks SET is_slow = true, tried_at = '-infinity' WHERE name = 'slow' RETURNING id");
  // The name of the one that is claimed, which then is told.
  const auto next = [this](store::Receivers whose, bool is_slow = false) -> std::string {
    const auto due = must(deliveries.claim(1, std::chrono::seconds(60), whose));
    if (due.empty()) return "";
    must(deliveries.finish(due[0].id, {.state = store::DeliveryState::kDelivered, .is_slow = is_slow}));
    return due[0].url;
  };
  using enum store::Receivers;
  EXPECT_EQ(next(kAll), "https://first.example.com/");
  EXPECT_EQ(next(kAll), "https://second.example.com/");
  EXPECT_EQ(next(kQuick), "https://first.example.com/");
  EXPECT_EQ(next(kAll), "https://second.example.com/");
  EXPECT_EQ(next(kAll, true), "https://first.example.com/");
  EXPECT_EQ(next(kAll), "https://second.example.com/");
  EXPECT_EQ(next(kQuick), "");
  EXPECT_FALSE(must(deliveries.next_due(kQuick)));
  EXPECT_TRUE(must(deliveries.next_due(kAll)));
  EXPECT_EQ(next(kAll, true), "https://slow.example.com/");
  const auto under_way = must(deliveries.claim(1, std::chrono::seconds(60), kAll));
  ASSERT_EQ(under_way.size(), 1U);
  EXPECT_EQ(must(deliveries.claim(1, std::chrono::seconds(60), kAll)).size(), 0U) << "the third waits for the second";
  must(deliveries.finish(under_way[0].id, {.state = store::DeliveryState::kFailed, .error = "x"}));
  EXPECT_EQ(must(deliveries.claim(1, std::chrono::seconds(60), kAll)).size(), 1U);
}

TEST_F(Webhooks, ATaskCannotFillTheQueue) {
  const json webhook = make(hook({{"triggerType", "TRIGGER_TYPE_CUSTOM"}, {"condition", json::object()}},
                                 {{"mode", "WEBHOOK_MODE_SPECIFIC"}, {"name", "mine"}}));
  sql("WITH made AS (INSERT INTO webhook_deliveries (webhook_id, cause, facts) SELECT " + webhook["id"].dump() +
      ", 'CUSTOM', '{}' FROM generate_series(1, 1000) RETURNING 1) SELECT count(*) FROM made");
  const std::int64_t id = experiment_with({{"integrations", {{"webhooks", {{"webhook_name", {"mine"}}}}}}});
  EXPECT_EQ(post("/api/v1/webhooks/custom", {{"experimentId", id}, {"data", json::object()}}).status, 200);
  EXPECT_EQ(sql("SELECT count(*)::text FROM webhook_deliveries"), "1000");
}

TEST_F(Webhooks, AreAnAdminsOrTheirWorkspacesOwners) {
  const json global = make(hook(on_state()));
  sql("INSERT INTO workspaces (id, name, owner_id) VALUES (7, 'sea', 2), (9, 'land', 1) RETURNING id");
  const json of_land = make(hook(on_state(), {{"workspaceId", 9}}));
  log_in("determined");
  EXPECT_EQ(post("/api/v1/webhooks", hook(on_state())).status, 403);
  EXPECT_EQ(post("/api/v1/webhooks", hook(on_state(), {{"workspaceId", 9}})).status, 403);
  EXPECT_EQ(post("/api/v1/webhooks", hook(on_state(), {{"workspaceId", 99}})).status, 403);
  const json mine = make(hook(on_state(), {{"workspaceId", 7}}));
  const json listed = get("/api/v1/webhooks").body()["webhooks"];
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0]["id"], global["id"]);
  EXPECT_EQ(listed[0]["url"], "https://hooks.example.com/********");
  EXPECT_EQ(listed[1]["url"], mine["url"]);
  for (const json& other : {global, of_land}) {
    const std::string path = "/api/v1/webhooks/" + other["id"].dump();
    EXPECT_EQ(get(path).status, 403);
    EXPECT_EQ(get(path + "/deliveries").status, 403);
    EXPECT_EQ(post(path + "/test").status, 403);
    EXPECT_EQ(call("PATCH", path, R"({"url":"https://evil.example.com"})").status, 403);
    EXPECT_EQ(call("DELETE", path).status, 403);
  }
  EXPECT_EQ(call("DELETE", "/api/v1/webhooks/" + mine["id"].dump()).text, "{}");
  EXPECT_EQ(call("DELETE", "/api/v1/webhooks/" + mine["id"].dump()).status, 404);
}

TEST_F(Webhooks, GoToTheirNewUrl) {
  const json webhook = make(hook(on_state()));
  end(experiment_with());
  const std::string path = "/api/v1/webhooks/" + webhook["id"].dump();
  EXPECT_EQ(call("PATCH", path, R"({"url":"https://new.example.com/x"})").text, "{}");
  EXPECT_EQ(get(path).body()["webhook"]["url"], "https://new.example.com/x");
  receivers.answer(200, json::object());
  EXPECT_EQ(send(), 1U);
  EXPECT_EQ(receivers.requests().at(0).url, "https://new.example.com/x");
}

TEST_F(Webhooks, AreTried) {
  const json webhook = make(hook(on_state()));
  const std::string path = "/api/v1/webhooks/" + webhook["id"].dump() + "/test";
  receivers.answer(200, json::object());
  EXPECT_EQ(post(path).body()["completed"], true);
  EXPECT_EQ(sent().at(0)["event_data"]["data"], "test");
  receivers.answer(500, json::object());
  EXPECT_THAT(post(path).error(), HasSubstr("received error from webhook server for event"));
  receivers.fail_with(ErrorCode::kUnavailable, "POST https://hooks.example.com:443/services/SECRET: no such host");
  EXPECT_THAT(post(path).error(), testing::AllOf(HasSubstr("error: no such host"), Not(HasSubstr("SECRET"))));
}

TEST_F(Webhooks, SayWhatIsWrongWithThem) {
  const std::pair<json, const char*> kWrong[] = {
      {hook(on_state(), {{"url", "ftp://x"}}), "valid url required"},
      {hook(on_state(), {{"url", "https://"}}), "valid url required"},
      {hook(on_state(), {{"url", "https://a b"}}), "valid url required"},
      {hook(on_state(), {{"url", "http://127.0.0.1:8080/"}}), "'127.0.0.1' is not on the open internet"},
      {hook(on_state(), {{"url", "http://localhost/"}}), "'localhost' is not on the open internet"},
      {hook(on_state(), {{"url", "http://u:p@169.254.169.254/latest"}}), "'169.254.169.254' is not on the open"},
      {hook(on_state(), {{"url", "http://[::1]:80/"}}), "'::1' is not on the open internet"},
      {hook(on_state(), {{"triggers", json::array()}}), "at least one trigger required"},
      {hook(on_state("HAPPY")), "expected {\"state\""},
      {hook(on_log("(")), "triggers[0].condition.regex: "},
      {hook({{"triggerType", "TRIGGER_TYPE_TASK_LOG"}, {"condition", {{"a", 1}}}}), "must have key 'regex'"},
      {hook({{"triggerType", "NEVER"}, {"condition", json::object()}}), "triggers[0].triggerType: 'NEVER' is none of"},
      {hook(on_state(), {{"webhookType", "WEBHOOK_TYPE_FAX"}}), "webhookType: 'WEBHOOK_TYPE_FAX'"},
      {hook(on_state(), {{"mode", "WEBHOOK_MODE_ALL"}}), "mode: 'WEBHOOK_MODE_ALL'"},
      {hook(on_state(), {{"name", std::string(257, 'n')}}), "name: at most 256 bytes"},
  };
  for (const auto& [body, message] : kWrong) {
    const Answer refused = post("/api/v1/webhooks", body);
    EXPECT_EQ(refused.status, 400) << refused.text;
    EXPECT_THAT(refused.error(), HasSubstr(message));
  }
  EXPECT_EQ(post("/api/v1/webhooks",
                 hook({{"triggerType", "TRIGGER_TYPE_METRIC_THRESHOLD_EXCEEDED"}, {"condition", json::object()}}))
                .status,
            501);
  EXPECT_EQ(post("/api/v1/webhooks", hook(on_state(), {{"workspaceId", 99}})).status, 404);
}

TEST_F(Webhooks, AreBoundedInNumber) {
  for (int i = 0; i < store::WebhookStore::kMost; ++i) make(hook(on_state()));
  EXPECT_THAT(post("/api/v1/webhooks", hook(on_state())).error(), HasSubstr("delete one first"));
  make(hook(on_state(), {{"workspaceId", 1}}));
}

}  // namespace
}  // namespace det::api
