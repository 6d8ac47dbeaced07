#include "scheduler/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scheduler/fixture.h"

namespace det::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

AntiAffinity apart(const std::string& label) {
  AntiAffinity rule;
  rule.topology_key = label;
  rule.selector.equal = {{"app", "train"}};
  return rule;
}

PodShape spreading(const std::string& label, int gpus = 1) {
  PodShape shape = *TestCluster::shape(gpus);
  shape.labels = {{"app", "train"}};
  shape.anti_affinity = {apart(label)};
  return shape;
}

std::vector<std::string> nodes_of(const TestCluster& cluster, const std::string& gang) {
  for (const Admitted& each : cluster.decide().admitted) {
    if (each.gang == gang) return each.nodes;
  }
  return {};
}

TEST(Place, FillsTheTightestNodeFirst) {
  TestCluster cluster;
  cluster.add_nodes(3);
  cluster.add_pod("n101", 6);
  cluster.add_gang("a", 1, 2);
  EXPECT_THAT(nodes_of(cluster, "a"), ElementsAre("n101"));
}

TEST(Place, KeepsPodsWithoutDevicesOffNodesThatHaveSome) {
  TestCluster cluster;
  cluster.add_node("a-gpu", 8);
  cluster.add_node("z-cpu", 0);
  cluster.add_gang("cpu", 1, 0);
  EXPECT_THAT(nodes_of(cluster, "cpu"), ElementsAre("z-cpu"));
}

TEST(Place, KeepsAGangInOneZoneWhereOneHasRoom) {
  TestCluster cluster;
  for (int i = 0; i < 6; ++i) {
    cluster.add_node("n" + std::to_string(i)).labels["topology.kubernetes.io/zone"] = i % 2 == 0 ? "a" : "b";
  }
  cluster.add_pod("n0", 8);
  cluster.add_gang("three", 3, 8);
  EXPECT_THAT(nodes_of(cluster, "three"), ElementsAre("n1", "n3", "n5"));
}

TEST(Place, PrefersTheNarrowerTopology) {
  TestCluster cluster;
  for (int i = 0; i < 4; ++i) {
    auto& node = cluster.add_node("n" + std::to_string(i));
    node.labels["topology.kubernetes.io/zone"] = "z";
    node.labels["topology.kubernetes.io/rack"] = i == 1 || i == 2 ? "r1" : "r" + std::to_string(i + 5);
  }
  cluster.add_gang("two", 2, 8);
  EXPECT_THAT(nodes_of(cluster, "two"), ElementsAre("n1", "n2"));
}

TEST(Place, SpansZonesRatherThanWait) {
  TestCluster cluster;
  cluster.add_node("n0").labels["topology.kubernetes.io/zone"] = "a";
  cluster.add_node("n1").labels["topology.kubernetes.io/zone"] = "b";
  cluster.add_gang("two", 2, 8);
  EXPECT_EQ(nodes_of(cluster, "two").size(), 2U);
}

TEST(Place, HonoursTaintsSelectorsAndReadiness) {
  TestCluster cluster;
  cluster.add_node("tainted").taints = {{.key = "team", .value = "x", .effect = "NoSchedule"}};
  cluster.add_node("cordoned").unschedulable = true;
  cluster.add_node("down").ready = false;
  cluster.add_node("soft").taints = {{.key = "old", .value = "", .effect = "PreferNoSchedule"}};
  cluster.add_gang("two", 2, 8);
  const Schedule decision = cluster.decide();
  EXPECT_THAT(decision.admitted, IsEmpty());
  EXPECT_THAT(why(decision, "two"), HasSubstr("1 node has the untolerated taint team=x:NoSchedule"));
  EXPECT_THAT(why(decision, "two"), HasSubstr("1 node is unschedulable"));
  EXPECT_THAT(why(decision, "two"), HasSubstr("1 node is not ready"));
  PodShape tolerant = *TestCluster::shape(8);
  tolerant.tolerations = {{.key = "team", .exists = true}, {.key = "node.kubernetes.io/unschedulable", .exists = true}};
  cluster.gangs.clear();
  cluster.add_gang("three", 3, tolerant);
  EXPECT_THAT(nodes_of(cluster, "three"), ElementsAre("cordoned", "soft", "tainted"));
}

TEST(Place, PutsOnePodOnAHostWhereAntiAffinityAsksForIt) {
  TestCluster cluster;
  cluster.add_nodes(2);
  cluster.add_gang("three", 3, spreading("kubernetes.io/hostname"));
  EXPECT_THAT(nodes_of(cluster, "three"), IsEmpty());
  cluster.add_node("n200");
  EXPECT_THAT(nodes_of(cluster, "three"), ElementsAre("n100", "n101", "n200"));
}

TEST(Place, PutsOnePodInAZoneWhereAntiAffinityAsksForIt) {
  TestCluster cluster;
  for (int i = 0; i < 4; ++i) cluster.add_node("n" + std::to_string(i)).labels["zone"] = i < 2 ? "a" : "b";
  cluster.add_gang("two", 2, spreading("zone"));
  EXPECT_THAT(nodes_of(cluster, "two"), ElementsAre("n0", "n2"));
}

TEST(Place, KeepsAwayFromPodsThatWantToBeAlone) {
  TestCluster cluster;
  cluster.add_nodes(2);
  Pod& shy = cluster.add_pod("n100", 1);
  PodShape alone = *shy.shape;
  alone.anti_affinity = {apart("kubernetes.io/hostname")};
  shy.shape = std::make_shared<const PodShape>(alone);
  PodShape plain = *TestCluster::shape(1);
  plain.labels = {{"app", "train"}};
  cluster.add_gang("a", 1, plain);
  EXPECT_THAT(nodes_of(cluster, "a"), ElementsAre("n101"));
  cluster.nodes.pop_back();
  EXPECT_THAT(why(cluster.decide(), "a"), HasSubstr("1 node is excluded by pod anti-affinity"));
}

TEST(Place, KeepsAwayBothWaysAmongPodsThatWantNothing) {
  TestCluster cluster;
  cluster.add_nodes(4);
  for (const char* node : {"n100", "n101", "n102"}) cluster.add_pod(node, 1);
  const auto with = [&](std::size_t pod, bool is_alone, const char* app) {
    PodShape shape = *cluster.pods[pod].shape;
    shape.labels = {{"app", app}};
    if (is_alone) shape.anti_affinity = {apart("kubernetes.io/hostname")};
    cluster.pods[pod].shape = std::make_shared<const PodShape>(shape);
  };
  with(0, true, "other");
  with(1, false, "train");
  PodShape spread = spreading("kubernetes.io/hostname");
  cluster.add_gang("a", 3, spread);
  EXPECT_THAT(nodes_of(cluster, "a"), IsEmpty()) << "the first keeps it away, and it keeps away from the second";
  cluster.gangs.clear();
  cluster.add_gang("a", 2, spread);
  EXPECT_THAT(nodes_of(cluster, "a"), ElementsAre("n102", "n103"));
}

TEST(Place, SaysThatPodsThatKeepApartFindTooFewNodes) {
  TestCluster cluster;
  cluster.add_nodes(2);
  cluster.add_gang("a", 3, spreading("kubernetes.io/hostname"));
  const Schedule decision = cluster.decide();
  EXPECT_EQ(reason_of(decision, "a")->code, ReasonCode::kNeverFits);
  EXPECT_EQ(reason_of(decision, "a")->available, 2);
  EXPECT_THAT(why(decision, "a"),
              HasSubstr("2 nodes take one of its pods each: they keep apart by kubernetes.io/hostname"));
}

TEST(Place, GoesWhereTheVolumeIs) {
  TestCluster cluster;
  cluster.add_nodes(2);
  SelectorTerm there;
  there.labels = {{.key = "kubernetes.io/hostname", .op = SelectorOperator::kIn, .values = {"n101"}}};
  cluster.claims["default/data"] = {.volume_affinity = Terms{there}};
  PodShape shape = *TestCluster::shape(1);
  shape.claims = {"data"};
  cluster.add_gang("a", 1, shape);
  EXPECT_THAT(nodes_of(cluster, "a"), ElementsAre("n101"));
  cluster.nodes.pop_back();
  EXPECT_THAT(why(cluster.decide(), "a"), HasSubstr("1 node does not reach the volume of claim data"));
}

TEST(Place, WaitsForAClaimThatDoesNotExist) {
  TestCluster cluster;
  cluster.add_nodes(1);
  PodShape shape = *TestCluster::shape(1);
  shape.claims = {"data"};
  cluster.add_gang("a", 1, shape);
  cluster.add_gang("b", 1, 8);
  const Schedule decision = cluster.decide();
  EXPECT_EQ(why(decision, "a"), "persistentvolumeclaim \"data\" not found");
  EXPECT_THAT(started(decision), ElementsAre("b")) << "nobody waits for a claim that may never come";
}

TEST(Place, CountsPodsOfANode) {
  TestCluster cluster;
  cluster.add_node("n").allocatable["pods"] = 2'000;
  cluster.add_gang("three", 3, 1);
  EXPECT_THAT(why(cluster.decide(), "three"), HasSubstr("even if the cluster were empty"));
}

TEST(Place, WantsEveryResourceThatThePodNames) {
  TestCluster cluster;
  cluster.add_nodes(1);
  cluster.add_node("ib").allocatable["rdma/ib"] = 1'000;
  PodShape shape = *TestCluster::shape(4);
  shape.requests["rdma/ib"] = 1'000;
  cluster.add_gang("a", 1, shape);
  EXPECT_THAT(nodes_of(cluster, "a"), ElementsAre("ib"));
}

}  // namespace
}  // namespace det::scheduler
