// What a cluster autoscaler is shown of the queue, and for whom its nodes are kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/decide.h"
#include "tests/scheduler/fixture.h"

namespace det::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Autoscaler, IsShownTheFirstGang) {
  TestCluster cluster;
  cluster.options.admits_pending = true;
  cluster.add_nodes(1);
  cluster.add_gang("a", 2, 8);
  cluster.add_gang("b", 2, 8);
  const Schedule decision = cluster.decide();
  EXPECT_THAT(started(decision), ElementsAre("a"));
  EXPECT_THAT(decision.admitted[0].nodes, ElementsAre("", ""));
}

TEST(Autoscaler, IsShownOnlySoManySinglePods) {
  TestCluster cluster;
  cluster.options.admits_pending = true;
  cluster.options.max_floating_singles = 2;
  cluster.add_nodes(1);
  cluster.add_pod("n100", 8);
  for (const char* name : {"a", "b", "c"}) cluster.add_gang(name, 1, 8);
  EXPECT_THAT(started(cluster.decide()), ElementsAre("a"));
  cluster.gangs[0].is_floating = true;
  EXPECT_THAT(started(cluster.decide()), ElementsAre("b"));
  cluster.gangs[1].is_floating = true;
  EXPECT_THAT(started(cluster.decide()), IsEmpty());
  PodShape of_others = *TestCluster::shape(8);
  of_others.ns = "another";
  cluster.add_gang("e", 1, of_others);
  EXPECT_THAT(started(cluster.decide()), IsEmpty()) << "they want the same nodes";
  PodShape elsewhere = *TestCluster::shape(8);
  elsewhere.node_selector["pool"] = "other";
  cluster.add_gang("d", 1, elsewhere);
  EXPECT_THAT(started(cluster.decide()), ElementsAre("d")) << "other nodes may come sooner";
}

TEST(Autoscaler, IsShownAGangOfSeveralWhenNoSinglePodIsLeft) {
  TestCluster cluster;
  cluster.options.admits_pending = true;
  cluster.add_gang("shown", 1, 8).is_floating = true;
  cluster.add_gang("several", 2, 8);
  cluster.add_gang("behind", 1, 8);
  EXPECT_THAT(started(cluster.decide()), IsEmpty());
  cluster.gangs.erase(cluster.gangs.begin());
  EXPECT_THAT(started(cluster.decide()), ElementsAre("several"));
}

TEST(Autoscaler, KeepsNewNodesForTheGangTheyWereMadeFor) {
  TestCluster cluster;
  cluster.options.admits_pending = true;
  cluster.add_nodes(2);
  cluster.add_gang("made-for", 2, 8).is_floating = true;
  cluster.add_gang("other", 1, 8, 99);
  const Schedule decision = cluster.decide();
  EXPECT_THAT(started(decision), IsEmpty());
}

TEST(Autoscaler, KeepsTheNodesThatHaveComeSoFarForTheGangThatTheyAreMadeFor) {
  TestCluster cluster;
  cluster.add_nodes(2);
  cluster.add_gang("made-for", 3, 8).is_floating = true;
  cluster.add_gang("other", 1, 8);
  EXPECT_THAT(started(cluster.decide()), IsEmpty()) << "the third node is on its way; the two are about to be filled";
}

}  // namespace
}  // namespace det::scheduler
