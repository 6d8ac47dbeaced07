#include "operator/live_experiments.h"

#include <gtest/gtest.h>

namespace det::op {
namespace {

using nlohmann::json;

TEST(LiveExperiments, SettingsAreThoseNotedLast) {
  LiveExperiments live;
  store::ExperimentRow row;
  row.id = {7};
  row.live = {{"priority", 10}};
  EXPECT_EQ(live.settings(row), row.live) << "the row has them where nothing was noted";
  EXPECT_TRUE(live.note(row.id, {{"priority", 20}}));
  EXPECT_FALSE(live.note(row.id, {{"priority", 20}}));
  EXPECT_EQ(live.settings(row), json({{"priority", 20}}));
  EXPECT_TRUE(live.note(row.id, json::object())) << "a setting that was taken back";
  EXPECT_EQ(live.settings(row), json::object());
  live.forget(row.id);
  EXPECT_EQ(live.settings(row), row.live);
}

TEST(LiveExperiments, AnExperimentOfWhichNothingWasNotedHadNone) {
  LiveExperiments live;
  EXPECT_FALSE(live.note({1}, json::object()));
  EXPECT_TRUE(live.note({2}, {{"max_slots", 4}}));
}

TEST(LiveExperiments, AreWidenedOnce) {
  LiveExperiments live;
  EXPECT_FALSE(live.is_widened({1}));
  EXPECT_TRUE(live.widen({1}));
  EXPECT_FALSE(live.widen({1}));
  EXPECT_TRUE(live.is_widened({1}));
  live.forget({1});
  EXPECT_FALSE(live.is_widened({1}));
}

}  // namespace
}  // namespace det::op
