// What people have deleted of checkpoints, and how a policy is previewed and changed.

#include <set>

#include <gmock/gmock.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct RemovalRoutes : ApiTest {
  RemovalRoutes() : id(create()), trial(started_trial_of(model::ExperimentId{id}, "01")) {}

  std::string save(std::int64_t steps) {
    const std::string uuid = uuid_v4();
    must(checkpoints.report({.uuid = uuid,
                             .task_id = trial.task_id,
                             .allocation_id = trial.task_id + ".1",
                             .report_time = WallTime(std::chrono::seconds(steps)),
                             .steps = steps,
                             .resources = {{"a", 100}}}));
    return uuid;
  }
  void end() {
    sql("UPDATE trials SET state = 'COMPLETED' RETURNING 1");
    sql("UPDATE allocations SET ended_at = now() RETURNING 1");
    sql("UPDATE experiments SET state = 'COMPLETED' RETURNING 1");
  }
  Answer remove(const std::vector<std::string>& uuids) {
    return call("DELETE", "/api/v1/checkpoints", json({{"checkpointUuids", uuids}}).dump());
  }
  Answer remove_files(const std::string& uuid, const json& globs) {
    return post("/api/v1/checkpoints/rm", {{"checkpointUuids", {uuid}}, {"checkpointGlobs", globs}});
  }
  std::string removal_count() { return sql("SELECT count(*)::text FROM removals"); }
  void become_admin() {
    token = must(authenticator.login({.username = "admin", .password = "", .is_hashed = true, .peer = ""})).token;
  }

  std::int64_t id;
  store::TrialRow trial;
};

TEST_F(RemovalRoutes, WriteDownWhatIsToGo) {
  const std::string uuid = save(10);
  end();
  EXPECT_EQ(remove({uuid, uuid}).text, "{}");
  EXPECT_EQ(remove({uuid}).text, "{}") << "again";
  EXPECT_EQ(removal_count(), "1");
  EXPECT_EQ(sql("SELECT globs::text FROM removals"), R"(["**/*"])");
  EXPECT_EQ(get("/api/v1/checkpoints/" + uuid).body()["checkpoint"]["state"], "STATE_COMPLETED");
}

TEST_F(RemovalRoutes, TakeGlobsThatStayInTheCheckpoint) {
  const std::string uuid = save(10);
  end();
  EXPECT_EQ(remove_files(uuid, {"sub/*"}).status, 200);
  EXPECT_EQ(remove_files(uuid, json::array()).status, 200) << "reads anew what is there";
  EXPECT_EQ(removal_count(), "2");
  for (const char* glob : {"", "..", "a/../../b", "/etc/passwd"})
    EXPECT_EQ(remove_files(uuid, {glob}).status, 400) << glob;
  EXPECT_EQ(remove_files(uuid, json(std::vector<std::string>(101, "a"))).status, 400);
  EXPECT_EQ(removal_count(), "2");
}

TEST_F(RemovalRoutes, RefuseWhatIsNoCheckpointOfTheCallers) {
  const std::string uuid = save(10);
  end();
  EXPECT_EQ(remove({"x'; DROP TABLE checkpoints; --"}).status, 400);
  EXPECT_EQ(remove({}).status, 400);
  EXPECT_EQ(call("DELETE", "/api/v1/checkpoints", "{}").status, 400);
  EXPECT_EQ(remove({"00000000-0000-4000-8000-000000000000", uuid}).status, 404);
  sql("UPDATE experiments SET owner_id = 1 RETURNING 1");
  EXPECT_EQ(remove({uuid}).status, 403);
  EXPECT_EQ(
      call("PATCH", "/api/v1/experiments/" + std::to_string(id), R"({"checkpointStorage":{"saveTrialBest":0}})").status,
      403);
  EXPECT_EQ(call("DELETE", "/api/v1/experiments/" + std::to_string(id) + "/tensorboard-files", "").status, 403);
  EXPECT_EQ(removal_count(), "0");
  become_admin();
  EXPECT_EQ(remove({uuid}).status, 200);
}

TEST_F(RemovalRoutes, AnswerForTensorBoardFilesWhenTheyAreGone) {
  save(10);
  end();
  const std::string path = "/api/v1/experiments/" + std::to_string(id) + "/tensorboard-files";
  const Answer waiting = call("DELETE", path, "");
  EXPECT_EQ(waiting.status, 504) << waiting.text;
  EXPECT_NE(waiting.text.find("still being removed, which goes on by itself"), std::string::npos) << waiting.text;
  sql("UPDATE removals SET error = 'no such bucket'");
  EXPECT_NE(call("DELETE", path, "").text.find("so far: no such bucket"), std::string::npos);
  EXPECT_EQ(removal_count(), "1") << "it is the same one";

  // What the operator would write.
  sql("UPDATE removals SET state = 'FAILED'");
  sql("CREATE FUNCTION over() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.state := 'DONE'; RETURN NEW; END $$");
  sql("CREATE TRIGGER over BEFORE INSERT ON removals FOR EACH ROW EXECUTE FUNCTION over()");
  EXPECT_EQ(call("DELETE", path, "").status, 200);
  sql("CREATE OR REPLACE FUNCTION over() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.state := 'FAILED'; "
      "NEW.error := 'access denied'; RETURN NEW; END $$");
  const Answer failed = call("DELETE", path, "");
  EXPECT_EQ(failed.status, 500);
  EXPECT_NE(failed.text.find("could not be removed: access denied"), std::string::npos) << failed.text;
}

TEST_F(RemovalRoutes, RefuseWhatARunGoesOnFrom) {
  const std::string uuid = save(10);
  const Answer refused = remove({uuid});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr(uuid));
}

TEST_F(RemovalRoutes, PreviewAPolicy) {
  const std::string older = save(10);
  const std::string latest = save(20);
  must(metric_writer.write(validation(trial, 10, 0.5), store::kPatience));
  end();
  const std::string path = "/experiments/" + std::to_string(id) + "/preview_gc?save_experiment_best=0&save_trial_best=";
  const json all = get(path + "0&save_trial_latest=0").body();
  ASSERT_EQ(all["checkpoints"].size(), 2U);
  EXPECT_EQ(all["metric_name"], "loss");
  const json none = get(path + "1&save_trial_latest=1").body();
  EXPECT_EQ(none["checkpoints"].size(), 0U);
  const json one = get(path + "1&save_trial_latest=0").body();
  ASSERT_EQ(one["checkpoints"].size(), 1U);
  EXPECT_EQ(one["checkpoints"][0]["UUID"], latest);
  EXPECT_EQ(one["checkpoints"][0]["TrialID"], trial.id.value);
  EXPECT_FALSE(one["checkpoints"][0].contains("step"));
  EXPECT_EQ(get(path + "-1").status, 400);
  EXPECT_EQ(get("/experiments/99/preview_gc").status, 404);
  sql("INSERT INTO checkpoints (uuid, task_number, trial_id, allocation_id, report_time, state, steps, metadata, "
      "resources, size) SELECT gen_random_uuid(), t.task_number, t.id, 'a', now(), 'COMPLETED', i, '{}', '{}', 0 FROM "
      "trials t, generate_series(21, 120) i");
  std::set<std::string> many;
  for (const json& checkpoint : get(path + "0&save_trial_latest=1").body()["checkpoints"]) {
    many.insert(checkpoint["UUID"].get<std::string>());
  }
  EXPECT_EQ(many.size(), 101U);
  EXPECT_EQ(removal_count(), "0");
}

TEST_F(RemovalRoutes, ChangeThePolicyInTheObjectAndTheRow) {
  const std::string path = "/api/v1/experiments/" + std::to_string(id);
  const Answer changed = call("PATCH", path, R"({"checkpointStorage":{"saveTrialBest":3,"saveTrialLatest":0}})");
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(changed.body()["experiment"]["config"]["checkpoint_storage"]["save_trial_best"], 3);
  EXPECT_EQ(object(id)["spec"]["config"]["checkpoint_storage"]["save_trial_latest"], 0);
  end();
  kubernetes.erase(k8s::experiments(), {.ns = "team", .name = "exp-" + std::to_string(id)});
  EXPECT_EQ(call("PATCH", path, R"({"checkpointStorage":{"saveTrialBest":4}})").status, 200) << "without its object";
  EXPECT_EQ(sql("SELECT collection FROM experiments"), "DUE");
  EXPECT_EQ(call("PATCH", path, R"({"checkpointStorage":{"saveTrialBest":-1}})").status, 400);
  EXPECT_EQ(call("PATCH", path, R"({"resources":{"maxSlots":4}})").error(), "experiment in terminal state");
}

TEST_F(RemovalRoutes, LetAGcTaskTellOfItsOwnCheckpointsOnly) {
  const std::string mine = save(10);
  const std::string other = save(20);
  end();
  ASSERT_EQ(remove({mine}).status, 200);
  const store::Epoch epoch = must(cluster.load_or_create()).epoch;
  const store::TaskRow task = must(removals.start(
      epoch, 1, {.id = uuid_v4(), .type = "CHECKPOINT_GC", .nonce = uuid_v4(), .owner = {2}, .config = {{"a", 1}}}));
  must(tasks.start_run(epoch, task.id, new_run(1, "gc")));
  token = "gc";
  const auto patch = [this](const std::string& uuid) {
    const json entry = {{"uuid", uuid}, {"resources", {{"resources", json::object()}}}};
    return call("PATCH", "/api/v1/checkpoints", json({{"checkpoints", json::array({entry})}}).dump());
  };
  EXPECT_EQ(patch(mine).status, 200);
  EXPECT_EQ(patch(other).status, 403);
  EXPECT_EQ(sql("SELECT state FROM checkpoints WHERE uuid = '" + mine + "'"), "DELETED");
  EXPECT_EQ(sql("SELECT state FROM checkpoints WHERE uuid = '" + other + "'"), "COMPLETED");
}

TEST_F(RemovalRoutes, ReleaseWhatWasHeldForAdmins) {
  save(10);
  end();
  const Answer held = get("/api/v1/held-checkpoints");
  EXPECT_EQ(held.body(), json({{"experiments", 1}, {"checkpoints", 1}, {"bytes", 100}}));
  EXPECT_EQ(post("/api/v1/held-checkpoints/release").status, 403);
  become_admin();
  EXPECT_EQ(post("/api/v1/held-checkpoints/release").body(), json({{"experiments", 1}}));
  EXPECT_EQ(get("/api/v1/held-checkpoints").body()["experiments"], 0);
}

}  // namespace
}  // namespace det::api
