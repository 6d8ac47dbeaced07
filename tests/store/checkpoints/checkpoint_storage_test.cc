#include "store/checkpoints/checkpoint_storage.h"

#include <gtest/gtest.h>

namespace det::store {
namespace {

using nlohmann::json;

const json kShared = {{"type", "shared_fs"}, {"host_path", "/data"}, {"storage_path", "own"}, {"save_trial_best", 1}};

json shared(const std::string& storage_path) {
  return {{"type", "shared_fs"}, {"host_path", "/data"}, {"storage_path", storage_path}};
}

TEST(CheckpointStorage, IsTheExperimentsUnlessTheRunSaidAnother) {
  EXPECT_EQ(checkpoint_storage_of(nullptr, kShared), shared("own"));
  EXPECT_EQ(checkpoint_storage_of(shared("sub"), kShared), shared("sub"));
  const json bucket = {{"type", "s3"}, {"bucket", "b"}};
  EXPECT_EQ(checkpoint_storage_of(bucket, {{"type", "s3"}, {"bucket", "a"}}), bucket);
  EXPECT_FALSE(checkpoint_storage_of(bucket, kShared));
}

TEST(CheckpointStorage, StaysBelowTheHostPath) {
  for (const char* inside :
       {"", ".", "a/b", "a/../b", "/data", "/data/", "/data/sub", "//data/./sub", "..a", "/data/../data"}) {
    EXPECT_TRUE(checkpoint_storage_of(shared(inside), kShared)) << inside;
  }
  for (const char* outside : {"..", "../x", "a/../..", "/", "/etc", "/data2", "/data/../etc", "/var/lib/agent/pods"}) {
    EXPECT_FALSE(checkpoint_storage_of(shared(outside), kShared)) << outside;
    EXPECT_FALSE(checkpoint_storage_of(nullptr, shared(outside))) << outside;
  }
  json moved = shared("");
  moved["host_path"] = "/etc";
  EXPECT_FALSE(checkpoint_storage_of(moved, kShared));
}

TEST(CheckpointStorage, OfAFolderOfTheContainerIsThatFolder) {
  const json own = {{"type", "directory"}, {"container_path", "/ckpt"}};
  EXPECT_EQ(checkpoint_storage_of(own, own), own);
  EXPECT_FALSE(checkpoint_storage_of({{"type", "directory"}, {"container_path", "/var/lib/agent/pods"}}, own));
}

}  // namespace
}  // namespace det::store
