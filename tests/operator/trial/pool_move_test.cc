// What another pool means for a trial: when its run leaves, and what the next one is like.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "operator/gang/gang_pods.h"
#include "operator/trial/run_plan.h"
#include "operator/trial/trial_facts.h"
#include "store/experiments/experiment_pool.h"

namespace det::op {
namespace {

using nlohmann::json;

store::ExperimentRow experiment(const std::string& pool) {
  store::ExperimentRow row;
  row.config = {{"resources", {{"slots_per_trial", 8}, {"resource_pool", pool}}}};
  row.live = json::object();
  return row;
}

store::AllocationRow open_run(const std::string& pool) {
  store::AllocationRow run;
  run.plan = store::RunPlan{.resource_pool = pool};
  return run;
}

model::MasterConfig cluster() {
  model::ResourcePool small;
  small.name = "small";
  small.max_slots_per_pod = 2;
  return model::with_pools({}, {small});
}

TEST(PoolMove, IsASettingBesideTheConfiguration) {
  store::ExperimentRow row = experiment("a");
  EXPECT_EQ(store::pool_now(row), "a");
  EXPECT_EQ(store::moved_to(row, row.live), "");
  row.live = {{"resource_pool", "b"}};
  EXPECT_EQ(store::pool_now(row), "b");
  EXPECT_EQ(store::moved_to(row, {{"resource_pool", "a"}}), "") << "and back";
  EXPECT_EQ(store::moved_to(row, {{"resource_pool", 7}}), "");
  EXPECT_EQ(store::moved_to(row, json()), "");
}

TEST(PoolMove, EndsRunsOfTheOtherPool) {
  const store::ExperimentRow row = experiment("a");
  EXPECT_EQ(leaves_pool(open_run(""), row, ""), "");
  EXPECT_EQ(leaves_pool(open_run("b"), row, "b"), "");
  EXPECT_EQ(leaves_pool(open_run(""), row, "b"), "moved to the resource pool b");
  EXPECT_EQ(leaves_pool(open_run("b"), row, ""), "moved to the resource pool a");
  store::AllocationRow old;
  EXPECT_EQ(leaves_pool(old, row, ""), "") << "from before there were plans";
  EXPECT_EQ(leaves_pool(old, row, "b"), "moved to the resource pool b");
  store::AllocationRow over = open_run("");
  over.ended_at = WallTime();
  EXPECT_EQ(leaves_pool(over, row, "b"), "");
  EXPECT_EQ(leaves_pool(std::nullopt, row, "b"), "");
}

TEST(PoolMove, CutsTheGangAsTheNewPoolDoes) {
  ObservedTrial trial;
  trial.slots = 8;
  trial.pods = 1;
  EXPECT_EQ(pods_of(trial, cluster(), ""), 1) << "as its object says";
  EXPECT_EQ(pods_of(trial, cluster(), "small"), 4);
}

TEST(PoolMove, IsInThePodsOfTheRunThatWasPlannedThere) {
  TrialRound round;
  round.row.id = {31};
  round.row.experiment = {7};
  round.object.owner_name = "exp-7";
  ExperimentCache::FrozenExperiment frozen;
  frozen.stored.row = experiment("a");
  frozen.config.resources.resource_pool = "a";
  store::RunPlan plan;
  const auto pool_shown = [&] {
    const pods::TaskRequest task = task_of_run(round, frozen, plan, 1);
    for (const auto& [name, value] : task.secret_variables) {
      if (name != "DET_EXPERIMENT_CONFIG") continue;
      EXPECT_EQ(json::parse(value)["resources"]["resource_pool"], task.config.resources.resource_pool);
    }
    return task.config.resources.resource_pool;
  };
  EXPECT_EQ(pool_shown(), "a");
  plan.resource_pool = "b";
  EXPECT_EQ(pool_shown(), "b");
  EXPECT_EQ(frozen.stored.row.config["resources"]["resource_pool"], "a") << "what is frozen stays";
}

TEST(PoolMove, IsKeptWithTheRun) {
  const store::RunPlan plan{.resource_pool = "b"};
  EXPECT_EQ(store::read_run_plan(store::to_json(plan)), plan);
  EXPECT_FALSE(store::to_json(store::RunPlan()).contains("resource_pool"));
}

TEST(PoolMove, WaitsForAPoolThatIsInvalid) {
  model::ResourcePool bad;
  bad.name = "bad";
  bad.objection = "spec.maxSlotsPerPod: expected integer";
  pods::PodSettings settings;
  settings.master = model::with_pools(cluster(), {bad});
  model::ResourcesConfig resources;
  resources.resource_pool = "bad";
  const auto waits = wait_for_pool(settings, resources);
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->reason, "InvalidResourcePool");
  EXPECT_EQ(waits->message,
            "resource pool bad is invalid; it goes on when that is mended: spec.maxSlotsPerPod: expected integer");
}

}  // namespace
}  // namespace det::op
