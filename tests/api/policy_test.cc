// Who may call which route: the table's columns, the two tokens of a task, and whose password is looked at first.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/route_table.h"
#include "api/users/login_gate.h"
#include "api/users/password.h"
#include "base/encoding.h"
#include "tests/api/fixture.h"
#include "tests/support/fake_clock.h"

namespace det::api {
namespace {

using testing::HasSubstr;
using testing::Not;

// The path with something in place of each parameter.
std::string some_path(const std::string& pattern) {
  std::string path;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '{') {
      path += pattern[at];
      continue;
    }
    at = pattern.find('}', at);
    path += '1';
  }
  return path;
}

struct Policy : ApiTest {
  std::string login(const std::string& name) {
    return must(authenticator.login({.username = name, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  store::NewUser user(const std::string& name) { return {.username = name, .display_name = {}, .password_hash = {}}; }
};

TEST_F(Policy, StrangersGetNothingButTheOpenRoutes) {
  token.clear();
  std::set<std::string> served;
  for (const RouteEntry& entry : route_entries()) {
    const Answer answer = call(entry.method, some_path(entry.pattern), "{}");
    if (answer.status != 401) served.insert(std::string(entry.method) + " " + entry.pattern);
  }
  EXPECT_EQ(served, (std::set<std::string>{"GET /",
                                           "GET /info",
                                           "GET /health",
                                           "GET /ready",
                                           "GET /metrics",
                                           "GET /harness/wheels",
                                           "GET /harness/wheels/{name}",
                                           "POST /api/v1/auth/login",
                                           "POST /login",
                                           "GET /api/v1/master",
                                           "GET /api/v1/master/telemetry",
                                           "GET /det/login",
                                           "GET /det/login.js",
                                           "GET /det/interactive/{id}/{rest...}",
                                           "GET /det/wait/{type}/{id}",
                                           "GET /api/v1/openapi.json",
                                           "GET /docs",
                                           "GET /det/{path...}",
                                           "GET /ui/{path...}",
                                           "GET /ui/assets/{name...}",
                                           "GET /docs/docs.js",
                                           "GET /docs/docs.css",
                                           "GET /oidc/sso",
                                           "GET /oidc/callback"}));
}

TEST_F(Policy, WaysToLogInAreKnown) {
  std::set<std::string> ways;
  for (const RouteEntry& entry : route_entries()) {
    if (is_login_path(entry.pattern)) ways.insert(std::string(entry.method) + " " + entry.pattern);
  }
  EXPECT_EQ(ways, (std::set<std::string>{"POST /api/v1/auth/login", "POST /login", "GET /oidc/callback"}));
}

TEST_F(Policy, BodiesOfStrangersAreSmall) {
  for (const RouteEntry& entry : route_entries()) {
    if (entry.policy.who == Who::kAnyone)
      EXPECT_LE(static_cast<std::size_t>(entry.policy.limit), 64U << 10) << entry.pattern;
  }
}

TEST_F(Policy, ASessionTokenReportsForItsOwnRunAndReadsWhatAHarnessNeeds) {
  const auto mine = started_trial("mine");
  const auto other = started_trial("other");
  token = "mine";
  const std::string trial = "/api/v1/trials/" + to_string(mine.id);
  const std::string others = "/api/v1/trials/" + to_string(other.id);
  EXPECT_EQ(post(trial + "/runner/metadata", {{"state", "training"}}).status, 200);
  EXPECT_EQ(post(others + "/runner/metadata", {{"state", "training"}}).status, 403);
  EXPECT_EQ(get(trial).status, 200);
  EXPECT_EQ(get(others).status, 403);
  EXPECT_EQ(get("/api/v1/me").status, 200);
  for (const RouteEntry& entry : route_entries()) {
    if (entry.policy.who == Who::kAnyone || entry.policy.who == Who::kAnyToken) continue;
    if (entry.policy.who == Who::kItsTask) continue;
    const Answer answer = call(entry.method, some_path(entry.pattern), "{}");
    EXPECT_EQ(answer.status, 403) << entry.method << " " << entry.pattern << ": " << answer.text;
  }
}

TEST_F(Policy, AUserTokenIsItsOwnerButForUsersAndPolicies) {
  const auto mine = started_trial("mine");
  const auto other = started_trial("other");
  token = "usermine";
  EXPECT_EQ(get("/api/v1/experiments").status, 200);
  EXPECT_EQ(post("/api/v1/trials/" + to_string(mine.id) + "/runner/metadata", {{"state", "x"}}).status, 200);
  EXPECT_EQ(post("/api/v1/trials/" + to_string(other.id) + "/runner/metadata", {{"state", "x"}}).status, 403)
      << "the same owner, another run";
  const Answer password = call("PATCH", "/api/v1/users/2", R"({"password":"x"})");
  EXPECT_EQ(password.status, 403);
  EXPECT_THAT(password.error(), HasSubstr("log in"));
  EXPECT_EQ(post("/api/v1/users", {{"user", {{"username", "x"}}}}).status, 403);
  EXPECT_EQ(call("PUT", "/api/v1/config-policies/global/EXPERIMENT", "{}").status, 403);
}

TEST_F(Policy, PodsOfBeforeHaveOneTokenForBoth) {
  const auto trial = started_trial("both");
  sql("UPDATE allocations SET user_token_hash = token_hash WHERE trial_id = " + to_string(trial.id) + " RETURNING id");
  token = "both";
  EXPECT_EQ(get("/api/v1/experiments").status, 200);
  EXPECT_EQ(post("/api/v1/trials/" + to_string(trial.id) + "/runner/metadata", {{"state", "x"}}).status, 200);
}

TEST_F(Policy, ReportsThatNameTheirTaskAreForOnesOwn) {
  const auto mine = started_trial("mine");
  const auto other = started_trial("other");
  const auto logs = [](const store::TrialRow& of) {
    return json{{"logs", {{{"task_id", of.task_id}, {"log", "x\n"}, {"timestamp", "2026-01-01T00:00:00Z"}}}}};
  };
  const auto checkpoint = [](const store::TrialRow& of, const std::string& uuid) {
    return json{{"uuid", uuid},
                {"taskId", of.task_id},
                {"state", "STATE_COMPLETED"},
                {"metadata", {{"steps_completed", 1}}},
                {"resources", {{"f", "1"}}}};
  };
  const std::string of_other = uuid_v4();
  EXPECT_EQ(post("/api/v1/checkpoints", checkpoint(other, of_other)).status, 200) << "its owner's login";
  token = "mine";
  EXPECT_EQ(post("/api/v1/task/logs", logs(mine)).status, 200);
  EXPECT_EQ(post("/api/v1/task/logs", logs(other)).status, 403);
  EXPECT_EQ(post("/api/v1/checkpoints", checkpoint(mine, uuid_v4())).status, 200);
  EXPECT_EQ(post("/api/v1/checkpoints", checkpoint(other, uuid_v4())).status, 403);
  EXPECT_EQ(post("/api/v1/checkpoints", checkpoint(mine, of_other)).status, 409);
  const json patch = {{"checkpoints", {{{"uuid", of_other}, {"resources", {{"resources", json::object()}}}}}}};
  EXPECT_EQ(call("PATCH", "/api/v1/checkpoints", patch.dump()).status, 403);
}

TEST_F(Policy, NumbersOfStoragesAreGivenToOnesOwnRuns) {
  const auto mine = started_trial("mine");
  const auto other = started_trial("other");
  const auto start = [this](const store::TrialRow& of) {
    return post("/api/v1/runs/start", {{"runId", of.id.value},
                                       {"checkpointStorage", {{"type", "s3"}, {"bucket", "b"}, {"secret_key", "k"}}}});
  };
  const Answer given = start(other);
  EXPECT_EQ(given.status, 200) << "its owner's login";
  token = "mine";
  EXPECT_EQ(start(mine).status, 200);
  EXPECT_EQ(start(other).status, 403);
  json checkpoint = {{"uuid", uuid_v4()},
                     {"taskId", mine.task_id},
                     {"state", "STATE_COMPLETED"},
                     {"storageId", given.body()["storageId"]},
                     {"metadata", {{"steps_completed", 1}}}};
  const Answer refused = post("/api/v1/checkpoints", checkpoint);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("was not given to this trial's experiment"));
  checkpoint["storageId"] = start(mine).body()["storageId"];
  EXPECT_EQ(post("/api/v1/checkpoints", checkpoint).status, 200);
  must(users.create(user("mallory")));
  token = login("mallory");
  EXPECT_EQ(start(mine).status, 403);
}

TEST_F(Policy, OthersContinueWithoutAnOverrideOnly) {
  const std::int64_t id = create();
  sql("UPDATE experiments SET state = 'CANCELED', end_time = now() WHERE id = " + std::to_string(id) + " RETURNING id");
  must(users.create(user("mallory")));
  token = login("mallory");
  const Answer refused = post("/api/v1/experiments/continue", {{"id", id}, {"overrideConfig", "entrypoint: evil"}});
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.error(), HasSubstr("fork it"));
  EXPECT_EQ(get("/api/v1/experiments/" + std::to_string(id)).body()["experiment"]["state"], "STATE_CANCELED");
}

TEST_F(Policy, TemplatesAreTheirMakersAndTheAdmins) {
  EXPECT_EQ(post("/api/v1/templates/t", {{"config", json::object()}}).status, 200);
  must(users.create(user("mallory")));
  token = login("mallory");
  EXPECT_EQ(call("PATCH", "/api/v1/templates/t", R"({"entrypoint":"evil"})").status, 403);
  EXPECT_EQ(call("DELETE", "/api/v1/templates/t").status, 403);
  EXPECT_EQ(call("DELETE", "/api/v1/templates/unknown").status, 404);
  token = login("admin");
  EXPECT_EQ(call("DELETE", "/api/v1/templates/t").status, 200);
}

TEST_F(Policy, SecretsOfAConfigurationAreShownToNobody) {
  const std::string yaml =
      std::string(kConst) + "environment:\n  registry_auth: {username: u, password: very-secret}\n";
  const std::int64_t id = create(yaml);
  EXPECT_THAT(get("/api/v1/experiments/" + std::to_string(id)).text, Not(HasSubstr("very-secret")));
  EXPECT_THAT(get("/api/v1/experiments").text, Not(HasSubstr("very-secret")));
  EXPECT_THAT(object(id).dump(), Not(HasSubstr("very-secret")));
  EXPECT_EQ(must(experiments.find(model::ExperimentId{id}))->config["environment"]["registry_auth"]["password"],
            "very-secret");
}

TEST_F(Policy, ANewPasswordEndsTheOtherSessions) {
  const std::string other = token;
  const std::string mine = login("determined");
  token = mine;
  EXPECT_EQ(call("PATCH", "/api/v1/users/2", R"({"password":"Abcdefg1"})").status, 200);
  EXPECT_EQ(get("/api/v1/me").status, 200);
  token = other;
  EXPECT_EQ(get("/api/v1/me").status, 401);
}

TEST_F(Policy, OldHashesAreReplacedAtTheNextRightLogin) {
  must(users.set_password_hash({2}, hash_password(client_hash("Abcdefg1"), 5).value()));
  const auto attempt = [](const std::string& password) {
    return LoginAttempt{.username = "determined", .password = password, .is_hashed = false, .peer = ""};
  };
  EXPECT_FALSE(run(authenticator.login(attempt("wrong"))));
  EXPECT_TRUE(must(users.find({2}))->password_hash->starts_with("$2b$05$"));
  must(authenticator.login(attempt("Abcdefg1")));
  EXPECT_TRUE(must(users.find({2}))->password_hash->starts_with("$2b$04$"));
  must(authenticator.login(attempt("Abcdefg1")));
}

TEST_F(Policy, WhoDoesNotExistIsCheckedAgainstSomebodysHash) {
  EXPECT_FALSE(must(users.find_for_login("nobody")).hash_to_check) << "nobody has a password";
  must(users.set_password_hash({1}, hash_password(client_hash("x"), 4).value()));
  EXPECT_TRUE(must(users.find_for_login("nobody")).hash_to_check);
  EXPECT_TRUE(must(users.find_for_login("determined")).hash_to_check) << "whose own is blank";
}

struct Gate : testing::Test {
  // A login that waits, and keeps its turn until finish().
  void ask(const std::string& address, const std::string& name) {
    auto work = [this, address, name]() -> Task<void> {
      auto turn = co_await gate.wait(address, name);
      if (!turn) {
        refused.push_back(name);
        co_return;
      }
      went.push_back(name);
      turns.push_back(std::move(*turn));
    };
    asio::co_spawn(io, work, asio::detached);
    settle();
  }
  void finish() {
    turns.erase(turns.begin());
    settle();
  }
  void settle() {
    io.restart();
    io.poll();
  }

  asio::io_context io;
  SystemClock clock;
  LoginGate gate{clock,
                 {.threads = 2, .suspect_threads = 1, .waiting = 6, .waiting_per_suspect = 3, .waiting_per_name = 2}};
  std::vector<std::string> went;
  std::vector<std::string> refused;
  std::list<LoginGate::Turn> turns;
};

TEST_F(Gate, LetsSuspectsHaveOneThreadAndOthersGoFirst) {
  gate.note_wrong("bad");
  ask("bad", "b1");
  ask("bad", "b2");
  EXPECT_EQ(went, (std::vector<std::string>{"b1"})) << "one thread is kept for others";
  ask("good", "g1");
  ask("good", "g2");
  EXPECT_EQ(went, (std::vector<std::string>{"b1", "g1"}));
  finish();
  EXPECT_EQ(went, (std::vector<std::string>{"b1", "g1", "g2"}));
  turns.clear();
  settle();
  EXPECT_EQ(went.back(), "b2");
  turns.clear();
}

TEST_F(Gate, KnowsWhoOnceCameFromAnAddress) {
  gate.note_right("shared", "ann");
  gate.note_wrong("shared");
  ask("shared", "m1");
  ask("shared", "m2");
  ask("shared", "ann");
  EXPECT_EQ(went, (std::vector<std::string>{"m1", "ann"}));
  turns.clear();
  settle();
  turns.clear();
}

TEST_F(Gate, LetsWhoIsKnownGoFirst) {
  gate.note_right("home", "ann");
  for (const char* name : {"a1", "a2", "a3", "a4"}) ask("elsewhere", name);
  for (const char* name : {"h1", "h2"}) ask("home", name);
  ask("home", "ann");
  EXPECT_EQ(refused, std::vector<std::string>{}) << "strangers of one address do not take her place";
  finish();
  EXPECT_EQ(went, (std::vector<std::string>{"a1", "a2", "ann"}));
  while (went.size() < 7) {
    turns.clear();
    settle();
  }
  turns.clear();
}

TEST_F(Gate, LeavesAThreadToStrangersWhereWhoIsKnownSendsManyPasswords) {
  gate.note_right("home", "mallory");
  ask("home", "mallory");
  ask("home", "mallory");
  EXPECT_EQ(went.size(), 2U) << "nobody else waits";
  ask("home", "mallory");
  ask("home", "mallory");
  ask("elsewhere", "s1");
  ask("elsewhere", "s2");
  finish();
  finish();
  EXPECT_EQ(went, (std::vector<std::string>{"mallory", "mallory", "s1", "mallory"})) << "and one to who is known";
  finish();
  EXPECT_EQ(went.back(), "s2");
  while (!turns.empty()) finish();
  EXPECT_EQ(went.size(), 6U);
}

TEST_F(Gate, GivesAddressesTurns) {
  for (const char* name : {"a1", "a2", "a3", "a4"}) ask("a", name);
  ask("b", "b1");
  finish();
  finish();
  EXPECT_EQ(went, (std::vector<std::string>{"a1", "a2", "b1", "a3"}));
  turns.clear();
  settle();
  turns.clear();
}

TEST_F(Gate, RefusesWhatWouldWaitTooLong) {
  gate.note_wrong("bad");
  for (const char* name : {"1", "2", "3", "4", "5"}) ask("bad", name);
  EXPECT_EQ(refused, (std::vector<std::string>{"5"})) << "one goes, three wait";
  for (int i = 0; i < 5; ++i) ask("good", "same");
  EXPECT_THAT(refused, testing::Contains("same"));
  while (!turns.empty()) finish();
}

}  // namespace
}  // namespace det::api
