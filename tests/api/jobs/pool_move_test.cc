// Jobs that go on in another resource pool.

#include <gmock/gmock.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct PoolMoves : ApiTest {
  void SetUp() override {
    ApiTest::SetUp();
    model::ResourcePool big;
    big.name = "big";
    services.settings.master = model::with_pools(services.settings.master, {big});
    id = create();
  }
  Answer move(const std::string& pool, const json& more = json::object()) {
    json update = {{"jobId", std::to_string(id)}, {"resourcePool", pool}};
    update.update(more);
    return post("/api/v1/job-queues", {{"updates", {update}}});
  }
  json shown() { return get("/api/v1/experiments/" + std::to_string(id)).body()["experiment"]; }

  std::int64_t id = 0;
};

TEST_F(PoolMoves, AreInTheObjectAndInEveryAnswer) {
  const std::string frozen = sql("SELECT config::text || config_hash FROM experiments");
  EXPECT_EQ(move("big").text, "{}");
  EXPECT_EQ(object(id)["spec"]["config"]["resources"]["resource_pool"], "big");
  EXPECT_EQ(shown()["resourcePool"], "big");
  EXPECT_EQ(shown()["config"]["resources"]["resource_pool"], "big");
  EXPECT_EQ(get("/api/v1/job-queues?resourcePool=big").body()["jobs"][0]["resourcePool"], "big");
  EXPECT_EQ(get("/api/v1/job-queues?resourcePool=default").body()["pagination"]["total"], 0);
  EXPECT_EQ(sql("SELECT config::text || config_hash FROM experiments"), frozen) << "what was accepted stays";
  EXPECT_EQ(move("big").error(), "resource pool is unchanged (big == big)");
  EXPECT_EQ(move("default").text, "{}");
  EXPECT_EQ(shown()["resourcePool"], "default");
}

TEST_F(PoolMoves, ComeWithOtherChanges) {
  EXPECT_EQ(move("big", {{"priority", 70}}).text, "{}");
  EXPECT_EQ(shown()["config"]["resources"]["priority"], 70);
  const std::int64_t second = create();
  EXPECT_THAT(move("default", {{"aheadOf", "x"}}).error(), HasSubstr("job 'x' not found"));
  EXPECT_EQ(shown()["resourcePool"], "big") << "nothing of it is done";
  EXPECT_EQ(shown()["config"]["resources"]["priority"], 70);
  EXPECT_EQ(move("default", {{"behindOf", std::to_string(second)}}).text, "{}") << "its place is one in the new pool";
  EXPECT_EQ(get("/api/v1/job-queues").body()["jobs"][1]["entityId"], std::to_string(id));
}

TEST_F(PoolMoves, RespectForWhomAPoolIsKept) {
  token = must(authenticator.login({.username = "admin", .password = "", .is_hashed = true, .peer = ""})).token;
  post("/api/v1/workspaces", {{"name", "vision"}});
  ASSERT_EQ(post("/api/v1/resource-pools/big/workspace-bindings", {{"workspaceNames", {"vision"}}}).status, 200);
  const Answer refused = move("big");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("resource pool big does not exist or is not available to workspace ID 1"));
  EXPECT_EQ(shown()["resourcePool"], "default");
}

TEST_F(PoolMoves, KeepToConfigPolicies) {
  sql("INSERT INTO config_policies (workload_type, policy, updated_by) VALUES ('EXPERIMENT', "
      "'{\"invariant_config\": {\"resources\": {\"resource_pool\": \"default\"}}}', 1) RETURNING 1");
  EXPECT_THAT(move("big").error(), HasSubstr("resource_pool is enforced as an invariant config policy of default"));
}

TEST_F(PoolMoves, AreNotForTasksAndNotForWhatIsOver) {
  const store::TaskRow task = insert_task("NOTEBOOK", "mine");
  const json update = {{"jobId", task.id}, {"resourcePool", "big"}};
  EXPECT_THAT(post("/api/v1/job-queues", {{"updates", {update}}}).error(),
              HasSubstr("setting resource pool for job type NOTEBOOK is not supported"));
  sql("UPDATE experiments SET state = 'COMPLETED', end_time = now()");
  EXPECT_EQ(move("big").error(), "experiment in terminal state");
}

TEST_F(PoolMoves, ShowRunsWhereTheyWerePlanned) {
  const store::TrialRow trial = started_trial_of({id}, "02");
  EXPECT_EQ(move("big").text, "{}");
  const std::string run = model::allocation_id(trial.task_id, 1);
  const auto pool_of_run = [&] { return get("/api/v1/tasks").body()["allocationIdToSummary"][run]["resourcePool"]; };
  EXPECT_EQ(pool_of_run(), "default") << "it has not left yet";
  sql("UPDATE allocations SET plan = plan || '{\"resource_pool\": \"big\"}' RETURNING 1");
  EXPECT_EQ(pool_of_run(), "big");
}

}  // namespace
}  // namespace det::api
