#include "model/checkpoints/gc_plan.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace det::model {
namespace {

using State = CheckpointState;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr GcPolicy kNothing{.save_experiment_best = 0, .save_trial_best = 0, .save_trial_latest = 0};

GcCheckpoint saved(std::string uuid, std::int64_t trial, std::int64_t steps, std::optional<double> metric = {},
                   State state = State::kCompleted) {
  return {.uuid = std::move(uuid),
          .trial = {trial},
          .steps = steps,
          .metric = metric,
          .report_time = WallTime(std::chrono::seconds(steps)),
          .state = state};
}

const std::vector<GcCheckpoint> kTwoTrials = {saved("a1", 1, 10, 0.5), saved("a2", 1, 20, 0.3),
                                              saved("a3", 1, 30, 0.4), saved("b1", 2, 10, 0.9),
                                              saved("b2", 2, 20, 0.8), saved("b3", 2, 30, 0.7)};

TEST(GcPlan, KeepsTheBestAndTheLatestOfEachTrial) {
  EXPECT_THAT(plan_gc(kTwoTrials, true, {}, {}), ElementsAre("a1", "b1", "b2"));
  EXPECT_THAT(plan_gc(kTwoTrials, false, {}, {}), ElementsAre("a2", "b2"));
}

TEST(GcPlan, KeepsTheBestOfTheExperiment) {
  const GcPolicy two{.save_experiment_best = 2, .save_trial_best = 0, .save_trial_latest = 0};
  EXPECT_THAT(plan_gc(kTwoTrials, true, two, {}), ElementsAre("a1", "b1", "b2", "b3"));
  EXPECT_THAT(plan_gc(kTwoTrials, false, two, {}), ElementsAre("a1", "a2", "a3", "b3"));
}

TEST(GcPlan, KeepsNothingWhereThePolicySaysSo) {
  EXPECT_EQ(plan_gc(kTwoTrials, true, kNothing, {}).size(), 6U);
  EXPECT_THAT(plan_gc({}, true, kNothing, {}), IsEmpty());
}

TEST(GcPlan, KeepsAllWhereThereAreFewerThanItSays) {
  const GcPolicy many{.save_experiment_best = 100, .save_trial_best = 0, .save_trial_latest = 0};
  EXPECT_THAT(plan_gc(kTwoTrials, true, many, {}), IsEmpty());
}

TEST(GcPlan, OfEquallyGoodOnesTheFirstStays) {
  const std::vector<GcCheckpoint> all = {saved("late", 1, 20, 0.5), saved("early", 1, 10, 0.5), saved("c", 1, 30, 0.9)};
  const GcPolicy best{.save_experiment_best = 0, .save_trial_best = 1, .save_trial_latest = 0};
  EXPECT_THAT(plan_gc(all, true, best, {}), ElementsAre("late", "c"));
}

TEST(GcPlan, WithoutAMetricOnlyTheLatestCounts) {
  const std::vector<GcCheckpoint> all = {saved("a", 1, 10), saved("b", 1, 20), saved("c", 1, 30)};
  const GcPolicy policy{.save_experiment_best = 5, .save_trial_best = 5, .save_trial_latest = 1};
  EXPECT_THAT(plan_gc(all, true, policy, {}), ElementsAre("a", "b"));
}

TEST(GcPlan, NotANumberIsWorseThanAnyEitherWay) {
  const std::vector<GcCheckpoint> all = {saved("nan", 1, 10, std::nan("")), saved("a", 1, 20, 1e30),
                                         saved("b", 1, 30, -INFINITY)};
  const GcPolicy best{.save_experiment_best = 0, .save_trial_best = 2, .save_trial_latest = 0};
  EXPECT_THAT(plan_gc(all, true, best, {}), ElementsAre("nan"));
  EXPECT_THAT(plan_gc(all, false, best, {}), ElementsAre("nan"));
}

TEST(GcPlan, LatestAtTheSameStepStayTogether) {
  const std::vector<GcCheckpoint> all = {saved("a", 1, 10), saved("b", 1, 20), saved("c", 1, 20)};
  const GcPolicy latest{.save_experiment_best = 0, .save_trial_best = 0, .save_trial_latest = 1};
  EXPECT_THAT(plan_gc(all, true, latest, {}), ElementsAre("a"));
}

TEST(GcPlan, WhatIsDeletedNeitherGoesNorCounts) {
  const std::vector<GcCheckpoint> all = {saved("gone", 1, 30, 0.1, State::kDeleted), saved("a", 1, 10, 0.2),
                                         saved("b", 1, 20, 0.3)};
  const GcPolicy best{.save_experiment_best = 0, .save_trial_best = 1, .save_trial_latest = 0};
  EXPECT_THAT(plan_gc(all, true, best, {}), ElementsAre("b"));
}

TEST(GcPlan, WhatWasNeverCompletedGoesAndCountsForNothing) {
  const std::vector<GcCheckpoint> all = {saved("half", 1, 30, 0.1, State::kActive), saved("a", 1, 20, 0.2),
                                         saved("err", 1, 40, {}, State::kError),
                                         saved("part", 1, 10, 0.3, State::kPartiallyDeleted)};
  EXPECT_THAT(plan_gc(all, true, {}, {}), ElementsAre("half", "err", "part"));
}

TEST(GcPlan, WhatIsProtectedStaysAndCounts) {
  const GcPolicy best{.save_experiment_best = 1, .save_trial_best = 0, .save_trial_latest = 0};
  EXPECT_THAT(plan_gc(kTwoTrials, true, best, {"a2", "b1", "other"}), ElementsAre("a1", "a3", "b2", "b3"));
}

TEST(GcPlan, ASecondPlanAfterTheFirstFindsNothing) {
  std::mt19937 random(7);  // NOLINT: the same cases each time
  const auto below = [&random](std::uint32_t end) { return static_cast<std::int64_t>(random() % end); };
  for (int round = 0; round < 500; ++round) {
    std::vector<GcCheckpoint> all;
    for (int i = 0; i < 30; ++i) {
      std::optional<double> metric;
      if (below(4) != 0) metric = static_cast<double>(below(5));
      all.push_back(
          saved(std::to_string(i), below(4), below(8), metric, below(6) == 0 ? State::kDeleted : State::kCompleted));
    }
    const GcPolicy policy{.save_experiment_best = below(4), .save_trial_best = below(3), .save_trial_latest = below(3)};
    const auto first = plan_gc(all, true, policy, {});
    for (GcCheckpoint& one : all) {
      if (std::ranges::find(first, one.uuid) != first.end()) one.state = State::kDeleted;
    }
    EXPECT_THAT(plan_gc(all, true, policy, {}), IsEmpty()) << "round " << round;
  }
}

TEST(GcPolicy, IsReadFromAConfiguration) {
  using nlohmann::json;
  EXPECT_EQ(gc_policy_of(json::object(), nullptr), GcPolicy());
  const json config = {
      {"checkpoint_storage", {{"save_experiment_best", 3}, {"save_trial_best", 0}, {"save_trial_latest", nullptr}}}};
  EXPECT_EQ(gc_policy_of(config, json::object()),
            (GcPolicy{.save_experiment_best = 3, .save_trial_best = 0, .save_trial_latest = 1}));
  EXPECT_EQ(gc_policy_of(config, {{"save_experiment_best", 1}, {"priority", 7}}),
            (GcPolicy{.save_experiment_best = 1, .save_trial_best = 0, .save_trial_latest = 1}));
}

TEST(RemovalGlobs, StayBelowTheCheckpoint) {
  for (const char* glob : {"**/*", "state_dict.pth", "a/*.bin", "weights.[0-9]*"}) {
    EXPECT_TRUE(check_removal_glob(glob)) << glob;
  }
  for (const std::string& glob : {std::string(), std::string("../*"), std::string("a/../../b"), std::string("/etc/*"),
                                  std::string("a..b"), std::string("a\0b", 3), std::string(5'000, 'a')}) {
    EXPECT_EQ(check_removal_glob(glob).error().code, ErrorCode::kInvalidArgument) << glob.substr(0, 20);
  }
}

}  // namespace
}  // namespace det::model
