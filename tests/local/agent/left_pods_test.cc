#include "local/agent/left_pods.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "local/agent/shim.h"
#include "tests/local/scratch.h"

namespace det::local {
namespace {

TEST(EndLeftPods, LeavesAProcessAloneThatOnlyHasTheNumberOfAShim) {
  const test::Scratch scratch;
  const nlohmann::json other{{"pid", ::getpid()}, {"start_time", 1}, {"boot_id", boot_id()}};
  test::write_text(scratch.path() + "/pods/u/containers/main/0/shim.json", other.dump());
  test::write_text(scratch.path() + "/pods/u/containers/main/1/shim.json", "not json");
  test::write_text(scratch.path() + "/pods/u/containers/main/2/shim.json", R"({"pid": "1"})");
  EXPECT_EQ(end_left_pods(scratch.path()).found, 0);
}

// The process that it names would be this test.
TEST(EndLeftPods, BelievesNoFileThatAPodCanWrite) {
  const test::Scratch scratch;
  const nlohmann::json forged{
      {"pid", ::getpid()}, {"start_time", process_start_time(::getpid()).value()}, {"boot_id", boot_id()}};
  test::write_text(scratch.path() + "/pods/u/containers/main/0/tmp/shim.json", forged.dump());
  test::write_text(scratch.path() + "/pods/u/volumes/v/shim.json", forged.dump());
  std::filesystem::create_symlink("tmp/shim.json", scratch.path() + "/pods/u/containers/main/0/shim.json");
  std::filesystem::create_symlink("0/tmp", scratch.path() + "/pods/u/containers/main/1");
  EXPECT_EQ(end_left_pods(scratch.path()).found, 0);
}

TEST(EndLeftPods, FindsNothingWhereNoAgentEverRan) {
  const test::Scratch scratch;
  EXPECT_EQ(end_left_pods(scratch.path() + "/agent").found, 0);
}

}  // namespace
}  // namespace det::local
