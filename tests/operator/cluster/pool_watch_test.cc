#include "operator/cluster/pool_watch.h"

#include <gtest/gtest.h>

namespace det::op {
namespace {

using nlohmann::json;

const WallTime kNow = *parse_rfc3339("2026-11-21T12:00:00Z");

json object(const char* spec) {
  return {{"metadata", {{"name", "a100"}, {"generation", 3}}}, {"spec", json::parse(spec)}};
}

TEST(PoolWatch, SaysThatAPoolCanBeUsed) {
  const PoolView view = view_pool(object(R"({"maxSlotsPerPod": 4})"));
  EXPECT_EQ(view.pool.name, "a100");
  EXPECT_EQ(view.pool.max_slots_per_pod, 4);
  const json status = pool_status(view, kNow);
  EXPECT_EQ(status["observedGeneration"], 3);
  EXPECT_EQ(status["conditions"][0]["type"], "Accepted");
  EXPECT_EQ(status["conditions"][0]["status"], "True");
}

TEST(PoolWatch, SaysWhatIsWrongWithAPool) {
  const json status = pool_status(view_pool(object(R"({"podPolicy": {"hostPaths": ["data"]}})")), kNow);
  EXPECT_EQ(status["conditions"][0]["status"], "False");
  EXPECT_EQ(status["conditions"][0]["reason"], "InvalidPool");
  EXPECT_NE(status["conditions"][0]["message"].get<std::string>().find("spec.podPolicy.hostPaths"), std::string::npos);
}

TEST(PoolWatch, SaysWhatOfAPoolHasNoEffect) {
  const json status = pool_status(view_pool(object(R"({"taskContainerDefaults": {"nccl_port_range": "x"}})")), kNow);
  EXPECT_EQ(status["conditions"][0]["status"], "True");
  EXPECT_TRUE(status["conditions"][0]["message"].get<std::string>().starts_with(
      "experiments may name this pool\n\"taskContainerDefaults.nccl_port_range\" has no effect in this version: "));
}

TEST(PoolWatch, WritesTheSameStatusOnlyOnce) {
  json seen = object("{}");
  seen["status"] = pool_status(view_pool(seen), kNow);
  EXPECT_EQ(pool_status(view_pool(seen), kNow + std::chrono::hours(1)), seen["status"]);
}

}  // namespace
}  // namespace det::op
