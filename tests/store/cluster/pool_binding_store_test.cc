#include "store/cluster/pool_binding_store.h"

#include <gmock/gmock.h>

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using testing::ElementsAre;

struct PoolBinding : StoreTest {
  void SetUp() override {
    StoreTest::SetUp();
    for (const char* name : {"vision", "speech"}) {
      ids.push_back(must(workspaces.create({.name = name, .owner = {1}, .agent = {}, .defaults = {}})));
    }
  }
  bool admits(const std::string& pool, std::int64_t workspace) { return must(bindings.admits(pool, {workspace})); }

  PoolBindingStore bindings{pool};
  std::vector<model::WorkspaceId> ids;
};

TEST_F(PoolBinding, KeepsAPoolForItsWorkspaces) {
  EXPECT_TRUE(admits("gpus", 1));
  must(bindings.bind("gpus", {.ids = {ids[0]}, .names = {}}));
  EXPECT_FALSE(admits("gpus", 1));
  EXPECT_TRUE(admits("gpus", ids[0].value));
  EXPECT_FALSE(admits("gpus", ids[1].value));
  EXPECT_TRUE(admits("cpus", 1));
  must(bindings.bind("gpus", {.ids = {ids[1]}, .names = {"speech"}}));
  EXPECT_THAT(must(bindings.all())["gpus"], ElementsAre(ids[0], ids[1]));
  must(bindings.replace("gpus", {.ids = {}, .names = {"speech"}}));
  EXPECT_THAT(must(bindings.all())["gpus"], ElementsAre(ids[1]));
  must(bindings.unbind("gpus", {.ids = {ids[1]}, .names = {}}));
  EXPECT_TRUE(must(bindings.all()).empty());
  EXPECT_TRUE(admits("gpus", 1));
}

TEST_F(PoolBinding, ChangesNothingWhenPartOfItIsWrong) {
  must(bindings.bind("gpus", {.ids = {ids[0]}, .names = {}}));
  const auto code_of = [&](Task<Status> change) {
    const Status done = run(std::move(change));
    return done ? ErrorCode::kInternal : done.error().code;
  };
  EXPECT_EQ(code_of(bindings.bind("gpus", {.ids = {ids[1]}, .names = {"vision"}})), ErrorCode::kAlreadyExists);
  EXPECT_EQ(code_of(bindings.bind("gpus", {.ids = {ids[1]}, .names = {"nope"}})), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(bindings.replace("gpus", {.ids = {{99}}, .names = {}})), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(bindings.unbind("gpus", {.ids = {ids[0], ids[1]}, .names = {}})), ErrorCode::kNotFound);
  EXPECT_THAT(must(bindings.all())["gpus"], ElementsAre(ids[0]));
}

TEST_F(PoolBinding, GoesWithItsWorkspace) {
  must(bindings.bind("gpus", {.ids = {ids[0]}, .names = {}}));
  sql("DELETE FROM workspaces WHERE name = 'vision'");
  EXPECT_TRUE(must(bindings.all()).empty());
}

}  // namespace
}  // namespace det::store
