#include "model/cluster/resource_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/cluster/master_config.h"
#include "tests/model/expconf/accepting.h"

namespace det::model {
namespace {

using namespace test;

constexpr std::string_view kMaster = R"(
resource_manager: {type: kubernetes, max_slots_per_pod: 8, default_compute_resource_pool: a100, default_aux_resource_pool: small}
task_container_defaults:
  environment_variables: [A=cluster, B=cluster]
resource_pools:
  - pool_name: a100
    description: the large ones
    node_selector: {gpu: a100}
    tolerations: [{key: a100, operator: Exists}]
    task_container_defaults: {environment_variables: [B=pool], kubernetes: {max_slots_per_pod: 4}}
  - pool_name: cpus
    slot_type: cpu
    slot_resource_requests: {cpu: 2}
    max_slots_per_pod: 16
)";

MasterConfig master(std::string_view text = kMaster) {
  auto read = read_master_config(yaml(text));
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? read->config : MasterConfig();
}

std::expected<AcceptedConfig, FieldErrors> accept(json user, const MasterConfig& cluster) {
  AcceptContext context = kContext;
  context.master = &cluster;
  return accept_config(user, cluster_defaults(cluster), context);
}

json wants(const char* resources) {
  json user = minimal();
  user["resources"] = yaml(resources);
  return user;
}

TEST(ResourcePool, SaysWhatItsSlotsAreOverTheCluster) {
  const MasterConfig cluster = master();
  EXPECT_THAT(pool_names(cluster), testing::ElementsAre("a100", "cpus", "small"));
  EXPECT_EQ(slot_rule("a100", cluster).max_per_pod, 4) << "Determined's place of it";
  EXPECT_EQ(slot_rule("a100", cluster).type, SlotType::kCuda);
  EXPECT_EQ(slot_rule("cpus", cluster).max_per_pod, 16);
  EXPECT_EQ(slot_rule("cpus", cluster).type, SlotType::kCpu);
  EXPECT_EQ(slot_rule("cpus", cluster).cpu_per_slot, 2);
  EXPECT_EQ(slot_rule("small", cluster).max_per_pod, 8) << "nothing is said about it";
  EXPECT_EQ(find_pool("a100", cluster)->description, "the large ones");
}

TEST(ResourcePool, IsTheDefaultOfItsKindWhereNoneIsNamedAndIsFrozen) {
  const MasterConfig cluster = master();
  EXPECT_EQ(accept(wants("{slots_per_trial: 2}"), cluster)->document["resources"]["resource_pool"], "a100");
  EXPECT_EQ(accept(wants("{slots_per_trial: 0}"), cluster)->document["resources"]["resource_pool"], "small");
  EXPECT_EQ(accept(wants("{resource_pool: cpus}"), cluster)->document["resources"]["resource_pool"], "cpus");
}

TEST(ResourcePool, LimitsTheSlotsOfItsPods) {
  const MasterConfig cluster = master();
  EXPECT_TRUE(accept(wants("{slots_per_trial: 12}"), cluster)) << "three pods of four";
  const auto refused = accept(wants("{slots_per_trial: 6}"), cluster);
  ASSERT_FALSE(refused);
  EXPECT_THAT(join_errors(refused.error()),
              testing::HasSubstr("slots (6) must be < or a multiple of max_slots_per_pod (4)"));
  EXPECT_TRUE(accept(wants("{slots_per_trial: 6, resource_pool: cpus}"), cluster));
}

TEST(ResourcePool, ThatNobodyKnowsIsRefusedWithTheNamesOfTheOthers) {
  const auto refused = accept(wants("{resource_pool: h100}"), master());
  ASSERT_FALSE(refused);
  EXPECT_EQ(join_errors(refused.error()),
            "<config>.resources.resource_pool: resource pool h100 does not exist; there are: a100, cpus, small");
  EXPECT_EQ(refused.error().front().field, kPoolField);
}

TEST(ResourcePool, ThatNobodyKnowsTellsOfNoOtherWhereRolesRule) {
  MasterConfig cluster = master();
  cluster.authz.has_roles = true;
  const auto refused = accept(wants("{resource_pool: h100}"), cluster);
  ASSERT_FALSE(refused);
  EXPECT_EQ(join_errors(refused.error()),
            "<config>.resources.resource_pool: resource pool h100 does not exist or is not available to you; "
            "`det resource-pool list` shows those that are");
}

TEST(ResourcePool, LaysItsDefaultsOverTheClusters) {
  const auto result = accept(wants("{slots_per_trial: 4}"), master());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->document["environment"]["environment_variables"]["cuda"], json({"A=cluster", "B=pool"}));
}

TEST(ResourcePool, OfAnObjectReadsAsOneOfTheFile) {
  const ResourcePool pool = read_resource_pool_object(yaml(R"(
metadata: {name: a100}
spec:
  description: the large ones
  nodeSelector: {gpu: a100}
  tolerations: [{key: a100, operator: Exists}]
  maxSlotsPerPod: 4
  taskContainerDefaults: {environment_variables: [B=pool]}
  podPolicy: {hostPaths: [/mnt], fields: [spec.volumes.gitRepo], labels: [a], annotations: [b], priorityClasses: [c],
              sysctls: [d]}
)"));
  EXPECT_EQ(pool.objection, "");
  const MasterConfig cluster = with_pools(master("{}"), {pool});
  EXPECT_EQ(slot_rule("a100", cluster).max_per_pod, 4);
  EXPECT_THAT(pool_names(cluster), testing::ElementsAre("a100", "default"));
  const PodPolicy policy = cluster.pod_policies.of("any", "a100");
  EXPECT_THAT(policy.host_paths, testing::ElementsAre("/mnt"));
  EXPECT_THAT(policy.fields, testing::ElementsAre("spec.volumes.gitRepo"));
  EXPECT_THAT(policy.labels, testing::ElementsAre("a"));
  EXPECT_THAT(policy.annotations, testing::ElementsAre("b"));
  EXPECT_THAT(policy.priority_classes, testing::ElementsAre("c"));
  EXPECT_THAT(policy.sysctls, testing::ElementsAre("d"));
  EXPECT_EQ(find_pool("a100", cluster)->node_selector, json({{"gpu", "a100"}}));
}

TEST(ResourcePool, OfAnObjectReplacesTheFilesOneOfTheSameName) {
  const ResourcePool pool = read_resource_pool_object(yaml("{metadata: {name: cpus}, spec: {maxSlotsPerPod: 2}}"));
  const MasterConfig cluster = with_pools(master(), {pool});
  EXPECT_EQ(slot_rule("cpus", cluster).max_per_pod, 2);
  EXPECT_EQ(slot_rule("cpus", cluster).type, SlotType::kCuda) << "what the object leaves open is the cluster's";
}

TEST(ResourcePool, ThatIsWrongKeepsItsNodesAndTakesNobodyNew) {
  const ResourcePool pool = read_resource_pool_object(yaml(R"(
metadata: {name: broken}
spec:
  nodeSelector: {gpu: a100}
  maxSlotsPerPod: -1
  taskContainerDefaults: {image: {cuda: 7}}
  podPolicy: {hostPaths: [data]}
)"));
  EXPECT_THAT(pool.objection, testing::HasSubstr("spec.maxSlotsPerPod: "));
  EXPECT_THAT(pool.objection, testing::HasSubstr("spec.taskContainerDefaults.image"));
  EXPECT_THAT(pool.objection, testing::HasSubstr("spec.podPolicy.hostPaths: \"data\" is not an absolute path"));
  EXPECT_EQ(pool.node_selector, json({{"gpu", "a100"}}));
  const MasterConfig cluster = with_pools(master("{}"), {pool});
  const auto refused = accept(wants("{resource_pool: broken}"), cluster);
  ASSERT_FALSE(refused);
  EXPECT_THAT(join_errors(refused.error()), testing::HasSubstr("resource pool broken is not valid: spec."));
}

TEST(ResourcePool, OfTheFileReportsEveryError) {
  const auto read = read_master_config(yaml(R"(
resource_pools:
  - {pool_name: a, node_selector: {x: 1}, tolerations: [{keys: a}], slot_type: tpu, slot_resource_requests: {cpu: 0}}
  - {pool_name: a, max_slots_per_pod: -1, task_container_defaults: 3}
)"));
  ASSERT_FALSE(read);
  for (const char* part :
       {"resource_pools[0].node_selector.x: expected string, but got number",
        "resource_pools[0].tolerations[0]: additionalProperties \"keys\" not allowed; did you mean \"key\"?",
        "resource_pools[0].slot_type: ", "resource_pools[0].slot_resource_requests.cpu: must be > 0",
        "there are two pools with the name \"a\"", "resource_pools[1].max_slots_per_pod: ",
        "resource_pools[1].task_container_defaults: expected object or null"}) {
    EXPECT_THAT(read.error().message, testing::HasSubstr(part));
  }
}

}  // namespace
}  // namespace det::model
