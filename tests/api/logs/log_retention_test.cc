// How long logs are kept, by REST.

#include <gmock/gmock.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct Retention : ApiTest {
  std::string login(const std::string& name) {
    return must(authenticator.login({.username = name, .password = "", .is_hashed = true, .peer = "127.0.0.1:1"}))
        .token;
  }
  Answer put(const std::string& path, const json& body) { return call("PUT", path, body.dump()); }
  // Its task has ended, with two lines in its log.
  store::TrialRow ended_trial() {
    const store::TrialRow trial = started_trial("run");
    std::vector<store::LogLine> lines(2);
    for (auto& line : lines) line.text = "x\n";
    must(log_writer.write(trial.task_id, lines, store::kPatience));
    sql("UPDATE tasks SET end_time = now() - interval '25 hours' RETURNING ''");
    return trial;
  }
};

TEST_F(Retention, IsSetForAnExperimentAndShownInItsConfiguration) {
  const std::string path = "/api/v1/experiments/" + std::to_string(create());
  EXPECT_EQ(put(path + "/retain_logs", {{"experimentId", 1}, {"numDays", 7}}).status, 200);
  EXPECT_EQ(get(path).body().at("/config/retention_policy/log_retention_days"_json_pointer), 7);
  EXPECT_EQ(put(path + "/retain_logs", {{"numDays", -1}}).status, 200);
  EXPECT_EQ(get(path).body().at("/config/retention_policy/log_retention_days"_json_pointer), -1);
  EXPECT_EQ(put("/api/v1/experiments/99/retain_logs", {{"numDays", 7}}).status, 404);
}

TEST_F(Retention, IsSetForATrialAndShownThere) {
  const std::string path = "/api/v1/trials/" + to_string(started_trial("run").id);
  EXPECT_EQ(get(path).body()["trial"]["logRetentionDays"], -1) << "the cluster's";
  EXPECT_EQ(put(path + "/retain_logs", {{"trialId", 1}, {"num_days", 0}}).status, 200);
  EXPECT_EQ(get(path).body()["trial"]["logRetentionDays"], 0);
}

TEST_F(Retention, RefusesDaysThatAreNone) {
  const std::string path = "/api/v1/trials/" + to_string(started_trial("run").id) + "/retain_logs";
  EXPECT_THAT(put(path, {{"numDays", -2}}).error(),
              HasSubstr("numDays: must be -1 (for ever) or 0 to 32767 days, not -2"));
  EXPECT_EQ(put(path, {{"numDays", 32768}}).status, 400);
  EXPECT_EQ(put(path, {{"numDays", "soon"}}).status, 400);
  EXPECT_EQ(put(path, json::object()).status, 400) << "nothing said is not 'at once'";
}

TEST_F(Retention, IsSetByOwnersAndAdminsOnly) {
  const auto trial = started_trial("run");
  must(users.create({.username = "other", .display_name = {}, .password_hash = {}}));
  token = login("other");
  EXPECT_EQ(put("/api/v1/trials/" + to_string(trial.id) + "/retain_logs", {{"numDays", 0}}).status, 403);
  EXPECT_EQ(put("/api/v1/experiments/" + to_string(trial.experiment) + "/retain_logs", {{"numDays", 0}}).status, 403);
  token = login("admin");
  EXPECT_EQ(put("/api/v1/trials/" + to_string(trial.id) + "/retain_logs", {{"numDays", 0}}).status, 200);
}

TEST_F(Retention, IsSetForManyEachForItself) {
  const auto trial = started_trial("run");
  const std::int64_t mine = create();
  const std::string many = "/api/v1/projects/1/experiments/retain_logs";
  const json results = put(many, {{"numDays", 3}, {"experimentIds", {mine, 99}}}).body()["results"];
  EXPECT_EQ(results[0], (json{{"id", mine}, {"error", ""}}));
  EXPECT_EQ(results[1]["error"], "experiment '99' not found");
  const std::string path = "/api/v1/experiments/" + std::to_string(mine);
  EXPECT_EQ(get(path).body().at("/config/retention_policy/log_retention_days"_json_pointer), 3);
  EXPECT_EQ(put(many, {{"numDays", 4}, {"filters", json::object()}}).body()["results"].size(), 2U);
  EXPECT_EQ(put(many, {{"numDays", -2}, {"experimentIds", {mine}}}).status, 400);
  EXPECT_EQ(put(many, {{"experimentIds", {mine}}}).status, 400);
  must(users.create({.username = "other", .display_name = {}, .password_hash = {}}));
  token = login("other");
  EXPECT_THAT(put(many, {{"numDays", 5}, {"experimentIds", {mine}}}).body()["results"][0]["error"].get<std::string>(),
              HasSubstr("only its owner and admins"));
  EXPECT_EQ(get("/api/v1/trials/" + to_string(trial.id)).status, 200);
}

TEST_F(Retention, SaysHowManyDaysAreLeft) {
  const auto trial = ended_trial();
  sql("UPDATE log_retention SET held_before = '-infinity' RETURNING ''");
  const std::string path = "/api/v1/trials/" + to_string(trial.id);
  const auto left = [&] { return get(path + "/remaining_log_retention_days").body(); };
  EXPECT_EQ(left(), (json{{"remainingDays", -1}})) << "for ever";
  must(log_retention.set_days(trial.id, 7));
  EXPECT_EQ(left(), (json{{"remainingDays", 5}})) << "it ended 25 hours ago";
  must(log_retention.set_days(trial.id, 1));
  EXPECT_EQ(left(), (json{{"remainingDays", 0}})) << "its time is over";
  must(log_retention.set_days(trial.id, 7));
  sql("UPDATE tasks SET end_time = NULL RETURNING ''");
  EXPECT_EQ(left(), json::object()) << "it goes on";
  EXPECT_EQ(get("/api/v1/trials/99/remaining_log_retention_days").status, 404);
}

TEST_F(Retention, IsEnforcedAtOnceForAdmins) {
  const auto trial = ended_trial();
  must(log_retention.set_days(trial.id, 1));
  sql("UPDATE log_retention SET held_before = '-infinity' RETURNING ''");
  EXPECT_EQ(post("/api/v1/cleanup_logs").status, 403);
  token = "userrun";
  EXPECT_EQ(post("/api/v1/cleanup_logs").status, 403);
  token = login("admin");
  EXPECT_EQ(post("/api/v1/cleanup_logs").body(), json({{"removedCount", "2"}}));
  EXPECT_EQ(post("/api/v1/cleanup_logs").body(), json({{"removedCount", "0"}}));
  EXPECT_THAT(get("/api/v1/trials/" + to_string(trial.id) + "/logs").text, HasSubstr("was removed"));
}

TEST_F(Retention, HoldsOlderLogsUntilAnAdministratorSaysSo) {
  const auto trial = ended_trial();
  must(log_retention.set_days(trial.experiment, 0));
  sql("UPDATE tasks SET start_time = now() - interval '3 days' RETURNING ''");
  EXPECT_EQ(get("/api/v1/held-logs").status, 403);
  EXPECT_EQ(post("/api/v1/held-logs/release").status, 403);
  token = login("admin");
  EXPECT_EQ(post("/api/v1/cleanup_logs").body()["removedCount"], "0");
  const json held = get("/api/v1/held-logs").body();
  EXPECT_EQ(held["tasks"], 1);
  EXPECT_EQ(post("/api/v1/held-logs/release").body(), held);
  EXPECT_EQ(get("/api/v1/held-logs").body()["tasks"], 0);
  EXPECT_EQ(post("/api/v1/cleanup_logs").body()["removedCount"], "2");
}

}  // namespace
}  // namespace det::api
