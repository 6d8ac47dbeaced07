#include "model/cluster/scheduler_config.h"

#include <gtest/gtest.h>

#include "model/cluster/master_config.h"

namespace det::model {
namespace {

using nlohmann::json;

TEST(SchedulerConfig, IsOurOwnSchedulerUnlessSaidOtherwise) {
  EXPECT_EQ(read_master_config(nullptr)->config.scheduler.type, GangBackendKind::kOwn);
  const auto result = read_master_config({{"scheduler", {{"type", "native"}, {"bind_timeout", 5}}}});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->config.scheduler.type, GangBackendKind::kNative);
  EXPECT_EQ(result->config.scheduler.bind_timeout, std::chrono::seconds(5));
  EXPECT_TRUE(result->warnings().empty());
}

TEST(SchedulerConfig, MapsDeterminedsCoschedulerAndSaysSo) {
  const json yaml = {{"resource_manager", {{"default_scheduler", "coscheduler"}}}};
  const auto result = read_master_config(yaml);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->config.scheduler.type, GangBackendKind::kOwn);
  EXPECT_TRUE(result->config.scheduler.was_mapped);
  ASSERT_EQ(result->warnings().size(), 1U);
  EXPECT_NE(result->warnings()[0].find("coscheduler"), std::string::npos);
}

TEST(SchedulerConfig, RefusesWordsItDoesNotKnow) {
  const json yaml = {{"resource_manager", {{"default_scheduler", "preemption"}}}, {"scheduler", {{"type", "volcano"}}}};
  const auto result = read_master_config(yaml);
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find("master.yaml.resource_manager.default_scheduler"), std::string::npos);
  EXPECT_NE(result.error().message.find("kube-scheduler"), std::string::npos);
}

}  // namespace
}  // namespace det::model
