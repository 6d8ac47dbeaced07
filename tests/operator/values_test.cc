#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "operator/conditions.h"
#include "operator/names.h"
#include "operator/status_writer.h"

namespace det::op {
namespace {

using nlohmann::json;

TEST(Names, StayShortEnoughForLabelsAndHosts) {
  const std::string longest(253, 'x');
  const std::string trial = trial_object_name(longest, model::TrialId{1'234'567'890});
  EXPECT_LE(pod_name(trial, 99'999, 9'999).size(), 63u);
  EXPECT_NE(trial_object_name(longest + "a", model::TrialId{1}), trial_object_name(longest + "b", model::TrialId{1}));
  EXPECT_EQ(trial_object_name("exp-7", model::TrialId{12}), "exp-7-12");
}

TEST(Names, LabelValuesAreMadeValid) {
  EXPECT_EQ(label_value("Jane Doe <jane@x>"), "Jane_Doe__jane_x");
  EXPECT_EQ(label_value("__"), "");
  EXPECT_EQ(label_value(std::string(100, 'a')).size(), 63u);
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
