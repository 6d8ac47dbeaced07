#include "store/cluster/config_policy_store.h"

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using model::WorkloadType;
using nlohmann::json;

struct ConfigPolicyRows : StoreTest {
  static json limit(int max_slots) { return {{"constraints", {{"resources", {{"max_slots", max_slots}}}}}}; }

  ConfigPolicyStore policies{pool};
};

TEST_F(ConfigPolicyRows, EachScopeAndTypeHasItsOwn) {
  EXPECT_EQ(must(policies.find({}, WorkloadType::kExperiment)), json::object());
  must(policies.put({}, WorkloadType::kExperiment, limit(8), {1}));
  must(policies.put({}, WorkloadType::kNtsc, limit(1), {1}));
  must(policies.put(model::WorkspaceId{1}, WorkloadType::kExperiment, limit(4), {1}));
  must(policies.put({}, WorkloadType::kExperiment, limit(9), {1}));
  EXPECT_EQ(must(policies.find({}, WorkloadType::kExperiment)), limit(9));
  EXPECT_EQ(must(policies.find({}, WorkloadType::kNtsc)), limit(1));
  EXPECT_EQ(must(policies.find(model::WorkspaceId{1}, WorkloadType::kExperiment)), limit(4));
  must(policies.remove({}, WorkloadType::kExperiment));
  must(policies.remove({}, WorkloadType::kExperiment));
  EXPECT_EQ(must(policies.find({}, WorkloadType::kExperiment)), json::object());
  EXPECT_EQ(must(policies.find({}, WorkloadType::kNtsc)), limit(1));
}

TEST_F(ConfigPolicyRows, AProjectHasItsWorkspacesAndTheClusters) {
  must(policies.put(model::WorkspaceId{1}, WorkloadType::kExperiment, {{"invariant_config", {{"debug", true}}}}, {1}));
  must(policies.put({}, WorkloadType::kExperiment, limit(8), {1}));
  const auto found = must(policies.of_project({1}, WorkloadType::kExperiment));
  EXPECT_EQ(found.workspace.invariant_config, json({{"debug", true}}));
  EXPECT_EQ(found.global.constraints.max_slots, 8);
  EXPECT_EQ(found.constraints().max_slots, 8);
  EXPECT_EQ(must(policies.of_project({1}, WorkloadType::kNtsc)).global, model::ConfigPolicy());
  EXPECT_EQ(must(policies.of_project({99}, WorkloadType::kExperiment)).workspace, model::ConfigPolicy());
}

TEST_F(ConfigPolicyRows, NeedAWorkspaceThatExists) {
  const Status put = run(policies.put(model::WorkspaceId{9}, WorkloadType::kNtsc, json::object(), {1}));
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().message, "workspace '9' not found");
}

}  // namespace
}  // namespace det::store
