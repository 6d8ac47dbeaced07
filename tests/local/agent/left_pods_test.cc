#include "local/agent/left_pods.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "local/agent/shim.h"
#include "tests/local/scratch.h"

namespace det::local {
namespace {

TEST(EndLeftPods, LeavesAProcessAloneThatOnlyHasTheNumberOfAShim) {
  const test::Scratch scratch;
  const nlohmann::json other{{"pid", ::getpid()}, {"start_time", 1}, {"boot_id", boot_id()}};
  test::write_text(scratch.path() + "/pods/u/c/main/0/shim.json", other.dump());
  test::write_text(scratch.path() + "/pods/u/c/main/1/shim.json", "not json");
  EXPECT_EQ(end_left_pods(scratch.path()), 0);
}

TEST(EndLeftPods, FindsNothingWhereNoAgentEverRan) {
  const test::Scratch scratch;
  EXPECT_EQ(end_left_pods(scratch.path() + "/agent"), 0);
}

}  // namespace
}  // namespace det::local
