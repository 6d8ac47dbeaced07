// Whether an accepted experiment may go on in another pool.

#include "accept/pool_move.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/yaml.h"
#include "tests/store/fixture.h"

namespace det::accept {
namespace {

using nlohmann::json;
using testing::HasSubstr;

model::MasterConfig master(std::string_view yaml = "{}") {
  auto read = model::read_master_config(parse_yaml(yaml).value());
  DET_CHECK(read.has_value(), "master.yaml can be read");
  return std::move(read->config);
}

store::ExperimentRow accepted(json over = json::object()) {
  store::ExperimentRow row;
  row.id = {7};
  row.ns = "team";
  row.config = {{"resources", {{"slots_per_trial", 4}, {"resource_pool", "default"}, {"is_single_node", nullptr}}},
                {"environment", {{"pod_spec", nullptr}}}};
  row.config.merge_patch(over);
  row.live = json::object();
  return row;
}

std::string said(const model::MasterConfig& cluster, const store::ExperimentRow& row, const std::string& pool = "b") {
  return join_errors(object_to_move(cluster, row, pool), "config");
}

TEST(PoolMove, GoesToAPoolThatIsThereAndValid) {
  EXPECT_EQ(said(master("{resource_pools: [{pool_name: b}]}"), accepted()), "");
  EXPECT_THAT(said(master(), accepted()),
              HasSubstr("config.resources.resource_pool: resource pool b does not exist; there are: default"));
  model::ResourcePool wrong;
  wrong.name = "b";
  wrong.objection = "spec.maxSlotsPerPod: expected a number";
  EXPECT_THAT(said(model::with_pools(master(), {wrong}), accepted()), HasSubstr("resource pool b is not valid: "));
  store::ExperimentRow unmanaged = accepted();
  unmanaged.is_unmanaged = true;
  EXPECT_THAT(said(master("{resource_pools: [{pool_name: b}]}"), unmanaged), HasSubstr("it is in no pool"));
}

TEST(PoolMove, NeedsSlotsThatCanBeCutThere) {
  const model::MasterConfig cluster = master("{resource_pools: [{pool_name: b, max_slots_per_pod: 3}]}");
  EXPECT_THAT(said(cluster, accepted()), HasSubstr("config.resources.slots_per_trial: "));
  EXPECT_EQ(said(cluster, accepted({{"resources", {{"slots_per_trial", 6}}}})), "");
  EXPECT_THAT(said(cluster, accepted({{"resources", {{"slots_per_trial", 6}, {"is_single_node", true}}}})),
              HasSubstr("config.resources.slots_per_trial: "));
}

TEST(PoolMove, TakesNoPodSpecOfAnotherPoolAlong) {
  const model::MasterConfig cluster = master(R"(
resource_pools:
- {pool_name: a, task_container_defaults: {gpu_pod_spec: {spec: {nodeSelector: {zone: a}}}}}
- {pool_name: b}
- {pool_name: c, task_container_defaults: {environment_variables: [NCCL_DEBUG=INFO]}}
)");
  EXPECT_EQ(said(cluster, accepted(), "c"), "") << "its variables stay those of acceptance";
  store::ExperimentRow row = accepted({{"resources", {{"resource_pool", "a"}}}});
  EXPECT_THAT(said(cluster, row), HasSubstr("the pools a and b give pods different pod specs"));
  EXPECT_THAT(said(cluster, accepted(), "a"), HasSubstr("the pools default and a give pods different pod specs"));
  row.config["resources"]["slots_per_trial"] = 0;
  EXPECT_EQ(said(cluster, row), "") << "gpu_pod_spec is not for it";
}

TEST(PoolMove, KeepsToThePodPolicyOfTheNewPool) {
  const model::MasterConfig cluster = master(R"(
resource_pools:
- {pool_name: a, pod_policy: {fields: [spec.volumes.gitRepo]}}
- {pool_name: b}
- {pool_name: c, pod_policy: {fields: [spec.volumes.gitRepo]}}
)");
  const json git = {{"spec", {{"volumes", {{{"name", "v"}, {"gitRepo", {{"repository", "r"}}}}}}}}};
  const store::ExperimentRow row =
      accepted({{"resources", {{"resource_pool", "a"}}}, {"environment", {{"pod_spec", git}}}});
  EXPECT_THAT(said(cluster, row), HasSubstr("config.environment.pod_spec.spec.volumes[0].gitRepo: "));
  EXPECT_EQ(said(cluster, row, "c"), "");
}

struct PoolMoveStores : store::StoreTest {
  store::ConfigPolicyStore policies{pool};
  store::PoolBindingStore pool_bindings{pool};
  GateStores stores{.templates = templates,
                    .workspaces = workspaces,
                    .config_policies = policies,
                    .pool_bindings = pool_bindings,
                    .checkpoints = checkpoints,
                    .contexts = contexts,
                    .experiments = experiments,
                    .trials = trials,
                    .webhooks = webhooks};
};

TEST_F(PoolMoveStores, RespectForWhomAPoolIsKept) {
  const model::MasterConfig cluster = master("{resource_pools: [{pool_name: b}]}");
  store::ExperimentRow row = accepted();
  row.project = store::NewExperiment().project;
  EXPECT_FALSE(must(check_pool_move(stores, cluster, row, "b")));
  const auto other = must(workspaces.create({.name = "other", .owner = {1}, .agent = {}, .defaults = {}}));
  must(pool_bindings.bind("b", {.ids = {other}, .names = {}}));
  const auto refused = must(check_pool_move(stores, cluster, row, "b"));
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->may_pass);
  EXPECT_THAT(refused->errors[0].message,
              HasSubstr("resource pool b does not exist or is not available to workspace ID 1; it is kept for others"));
}

}  // namespace
}  // namespace det::accept
