#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "operator/conditions.h"
#include "operator/status_writer.h"
#include "pods/names.h"

namespace det::op {
namespace {

using nlohmann::json;

TEST(Names, StayShortEnoughForLabelsAndHosts) {
  const std::string longest(253, 'x');
  const std::string trial = pods::trial_object_name(longest, model::TrialId{1'234'567'890});
  EXPECT_LE(pods::pod_name(trial, 99'999, 9'999).size(), 63u);
  EXPECT_NE(pods::trial_object_name(longest + "a", model::TrialId{1}),
            pods::trial_object_name(longest + "b", model::TrialId{1}));
  EXPECT_EQ(pods::trial_object_name("exp-7", model::TrialId{12}), "exp-7-12");
}

TEST(Names, LabelValuesAreMadeValid) {
  EXPECT_EQ(pods::label_value("Jane Doe <jane@x>"), "Jane_Doe__jane_x");
  EXPECT_EQ(pods::label_value("__"), "");
  EXPECT_EQ(pods::label_value(std::string(100, 'a')).size(), 63u);
}

TEST(Conditions, MoveTheirTimeOnlyWhenTheirStatusMoves) {
  const WallTime first = *parse_rfc3339("2026-11-21T12:00:00Z");
  const WallTime later = *parse_rfc3339("2026-11-21T13:00:00Z");
  const Condition running{.type = "Running", .status = Truth::kTrue, .reason = "A", .message = ""};
  json list = merge_conditions(json(), {running}, 1, first);
  Condition renamed = running;
  renamed.reason = "B";
  list = merge_conditions(list, {renamed}, 2, later);
  EXPECT_EQ(list[0]["lastTransitionTime"], "2026-11-21T12:00:00Z");
  EXPECT_EQ(list[0]["reason"], "B");
  Condition stopped = running;
  stopped.status = Truth::kFalse;
  list = merge_conditions(list, {stopped}, 2, later);
  EXPECT_EQ(list[0]["lastTransitionTime"], "2026-11-21T13:00:00Z");
}

TEST(StatusPace, WritesATransitionOnceItHasSettled) {
  StatusPace pace;
  const SteadyTime start{};
  const json queued = {{"state", "QUEUED"}, {"progress", "0%"}};
  const json running = {{"state", "RUNNING"}, {"progress", "0%"}};
  EXPECT_EQ(pace.delay("k", json(), queued, false, start), kSettleTime);
  EXPECT_EQ(pace.delay("k", json(), running, false, start + std::chrono::milliseconds(100)),
            std::chrono::milliseconds(150));
  EXPECT_EQ(pace.delay("k", json(), running, false, start + kSettleTime)->count(), 0);
}

TEST(StatusPace, WritesTheEndAtOnceAndProgressNowAndThen) {
  StatusPace pace;
  const SteadyTime start{};
  const json none = {{"state", "RUNNING"}, {"progress", "0%"}};
  const json some = {{"state", "RUNNING"}, {"progress", "10%"}};
  const json over = {{"state", "COMPLETED"}, {"progress", "100%"}};
  pace.written("k", json(), none, start);
  EXPECT_EQ(pace.delay("k", none, some, false, start + std::chrono::seconds(1)), std::chrono::seconds(4));
  EXPECT_EQ(pace.delay("k", none, some, false, start + kProgressInterval)->count(), 0);
  EXPECT_EQ(pace.delay("k", none, over, true, start)->count(), 0);
}

TEST(StatusPace, WritesNothingTwice) {
  StatusPace pace;
  const json queued = {{"state", "QUEUED"}};
  EXPECT_FALSE(pace.delay("k", queued, queued, true, SteadyTime{}));
  pace.written("k", json(), queued, SteadyTime{});
  EXPECT_FALSE(pace.delay("k", json(), queued, true, SteadyTime{})) << "our copy is only behind";
}

TEST(StatusPace, KnowsWhatAnotherHasWritten) {
  StatusPace pace;
  const json queued = {{"state", "QUEUED"}};
  const json running = {{"state", "RUNNING"}};
  EXPECT_FALSE(pace.is_foreign("k", queued.dump())) << "not looked at yet";
  EXPECT_TRUE(pace.delay("k", queued, running, false, SteadyTime{}));
  EXPECT_FALSE(pace.is_foreign("k", running.dump())) << "the watch may be quicker than the answer";
  pace.written("k", queued, running, SteadyTime{});
  EXPECT_FALSE(pace.is_foreign("k", running.dump()));
  EXPECT_TRUE(pace.is_foreign("k", queued.dump()));
  EXPECT_TRUE(pace.delay("k", queued, running, false, SteadyTime{})) << "this time our copy is not behind";
  pace.forget("k");
  EXPECT_FALSE(pace.is_foreign("k", queued.dump()));
}

TEST(MergeDiff, TurnsTheOldIntoTheNewByMergePatch) {
  const json before = {{"a", 1}, {"b", {{"x", 1}, {"y", 2}}}, {"gone", true}, {"list", {1, 2}}};
  const json after = {{"a", 1}, {"b", {{"x", 1}, {"z", 3}}}, {"list", {2}}};
  json patched = before;
  patched.merge_patch(merge_diff(before, after));
  EXPECT_EQ(patched, after);
  EXPECT_TRUE(merge_diff(after, after).empty());
}

}  // namespace
}  // namespace det::op
