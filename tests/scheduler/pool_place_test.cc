#include "scheduler/pool_place.h"

#include <gtest/gtest.h>

#include "base/yaml.h"

namespace det::scheduler {
namespace {

model::MasterConfig master(std::string_view text) {
  auto read = model::read_master_config(parse_yaml(text).value());
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? read->config : model::MasterConfig();
}

Node node(Labels labels, std::vector<Taint> taints = {}) {
  Node node;
  node.name = "n";
  node.labels = std::move(labels);
  node.taints = std::move(taints);
  return node;
}

const char* const kPools = R"(
task_container_defaults: {gpu_pod_spec: {spec: {tolerations: [{key: team, operator: Exists}]}}}
resource_pools:
  - {pool_name: a100, node_selector: {gpu: a100}, tolerations: [{key: a100, operator: Exists}]}
  - pool_name: a40
    task_container_defaults:
      gpu_pod_spec:
        spec:
          nodeSelector: {gpu: a40}
          affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [z1]}]}]}}}
)";

TEST(PoolPlace, IsByTheNodesLabels) {
  const auto config = master(kPools);
  const PoolPlace a100 = read_pool_place("a100", config);
  EXPECT_TRUE(is_in_pool(node({{"gpu", "a100"}}), a100));
  EXPECT_FALSE(is_in_pool(node({{"gpu", "a40"}}), a100));
  EXPECT_FALSE(is_in_pool(node({}), a100));
  const PoolPlace a40 = read_pool_place("a40", config);
  EXPECT_TRUE(is_in_pool(node({{"gpu", "a40"}, {"zone", "z1"}}), a40)) << "Determined's way: by the pool's pod_spec";
  EXPECT_FALSE(is_in_pool(node({{"gpu", "a40"}, {"zone", "z2"}}), a40));
}

TEST(PoolPlace, TakesAnEmptyPodSpecForNone) {
  const auto config = master("task_container_defaults: {gpu_pod_spec: {metadata: {labels: {a: b}}, spec: }}");
  EXPECT_TRUE(is_in_pool(node({}), read_pool_place("default", config)));
}

TEST(PoolPlace, LeavesOutNodesWhoseTaintsItsPodsDoNotBear) {
  const auto config = master(kPools);
  const Taint own{.key = "a100", .value = "", .effect = "NoSchedule"};
  EXPECT_TRUE(is_in_pool(node({{"gpu", "a100"}}, {own}), read_pool_place("a100", config)));
  EXPECT_FALSE(is_in_pool(node({{"gpu", "a100"}}, {own}), read_pool_place("default", config)));
  EXPECT_TRUE(
      is_in_pool(node({}, {{.key = "team", .value = "x", .effect = "NoSchedule"}}), read_pool_place("default", config)))
      << "the cluster's pods bear it";
}

TEST(PoolPlace, KeepsNodesThatAreCordonedOrHaveGpus) {
  const PoolPlace a100 = read_pool_place("a100", master(kPools));
  EXPECT_TRUE(is_in_pool(
      node({{"gpu", "a100"}}, {{.key = "node.kubernetes.io/unschedulable", .value = "", .effect = "NoSchedule"},
                               {.key = "nvidia.com/gpu", .value = "present", .effect = "NoSchedule"}}),
      a100));
}

TEST(PoolPlace, TakesAllNodesWhenItIsTheOnlyOne) {
  const Taint strange{.key = "strange", .value = "", .effect = "NoSchedule"};
  EXPECT_TRUE(is_in_pool(node({}, {strange}), read_pool_place("default", master("{}"))));
  EXPECT_FALSE(is_in_pool(node({}, {strange}), read_pool_place("default", master(kPools))));
  EXPECT_TRUE(is_in_pool(node({{"gpu", "a100"}}), read_pool_place("default", master(kPools))))
      << "a pool that chooses no nodes may use any without a taint";
}

}  // namespace
}  // namespace det::scheduler
