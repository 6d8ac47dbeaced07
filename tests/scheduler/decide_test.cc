#include "scheduler/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/scheduler/fixture.h"

namespace det::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Decide, StartsAGangWhole) {
  TestCluster cluster;
  cluster.add_nodes(4);
  cluster.add_gang("a", 4, 8);
  const Schedule decision = cluster.decide();
  ASSERT_EQ(decision.admitted.size(), 1U);
  EXPECT_THAT(decision.admitted[0].nodes, ElementsAre("n100", "n101", "n102", "n103"));
}

TEST(Decide, StartsNothingOfAGangThatDoesNotFitWhole) {
  TestCluster cluster;
  cluster.add_nodes(3);
  cluster.add_gang("a", 4, 8);
  const Schedule decision = cluster.decide();
  EXPECT_THAT(decision.admitted, IsEmpty());
  EXPECT_EQ(reason_of(decision, "a")->code, ReasonCode::kNeverFits);
  EXPECT_EQ(
      why(decision, "a"),
      "no room for its 4 pods even if the cluster were empty (0/3 nodes are available for all): 3 nodes have room "
      "for 3 of them, then too little nvidia.com/gpu");
}

TEST(Decide, SaysWhichResourceIsShortAndHowMuchOfIt) {
  TestCluster cluster;
  cluster.add_nodes(2);
  cluster.add_pod("n100", 6);
  cluster.add_gang("a", 2, 8);
  const Schedule decision = cluster.decide();
  EXPECT_EQ(why(decision, "a"),
            "its 2 pods have to start together and 1 would find room now (0/2 nodes are available for all): 1 node has "
            "too little nvidia.com/gpu free (8 wanted, 2 at most), 1 node has room for 1 of them, then too little "
            "nvidia.com/gpu");
  const auto tree = to_json(*reason_of(decision, "a"));
  EXPECT_EQ(tree.at("code"), "GangDoesNotFit");
  EXPECT_EQ(tree.at("children").at(0).at("code"), "InsufficientResource");
  EXPECT_EQ(tree.at("children").at(0).at("available"), "2");
  const nlohmann::json some = {{"code", "ResourceRunsOut"},
                               {"subject", "nvidia.com/gpu"},
                               {"nodes", 1},
                               {"wanted", 2},
                               {"available", 1},
                               {"message", "1 node has room for 1 of them, then too little nvidia.com/gpu"}};
  EXPECT_EQ(tree.at("children").at(1), some);
}

TEST(Reason, OfOnePodIsAFreeSlot) {
  WaitReason reason{.code = ReasonCode::kDoesNotFit, .subject = {}, .nodes = 1, .wanted = 1};
  reason.children = {{.code = ReasonCode::kInsufficient, .subject = "cpu", .nodes = 1, .wanted = 1000}};
  EXPECT_EQ(sentence(reason), "waits for a free slot: needs 1 CPU, none is free");
  reason.nodes = reason.children[0].nodes = 3;
  reason.children[0] = {
      .code = ReasonCode::kInsufficient, .subject = "nvidia.com/gpu", .nodes = 3, .wanted = 8000, .available = 2000};
  EXPECT_EQ(sentence(reason), "waits for a free slot: needs 8 GPUs (nvidia.com/gpu), at most 2 is free on one node");
  reason.nodes = 4;
  reason.children.push_back({.code = ReasonCode::kUnschedulable, .subject = {}, .nodes = 1});
  EXPECT_EQ(sentence(reason),
            "waits for a free slot (0/4 nodes have one): 3 nodes have too little nvidia.com/gpu free (8 wanted, 2 at "
            "most), 1 node is unschedulable");
}

TEST(Reason, OfOnePodThatFitsNowhereSaysWhatItNeeds) {
  WaitReason reason{.code = ReasonCode::kNeverFits, .subject = {}, .nodes = 2, .wanted = 1};
  reason.children = {
      {.code = ReasonCode::kInsufficient, .subject = "cpu", .nodes = 2, .wanted = 64000, .available = 2000}};
  EXPECT_EQ(sentence(reason),
            "no node is large enough, even if the cluster were empty: needs 64 CPUs in one pod, at most 2 on one node");
}

TEST(Decide, LetsOneOfTwoGangsRunThatEachNeedMoreThanHalf) {
  TestCluster cluster;
  cluster.add_nodes(4);
  cluster.add_gang("a", 3, 8);
  cluster.add_gang("b", 3, 8);
  const Schedule decision = cluster.decide();
  EXPECT_THAT(started(decision), ElementsAre("a"));
  ASSERT_EQ(decision.reservations.size(), 1U);
  EXPECT_EQ(decision.reservations[0].gang, "b");
}

TEST(Decide, TakesTheHigherPriorityFirst) {
  TestCluster cluster;
  cluster.add_nodes(1);
  cluster.add_gang("low", 1, 8, 10);
  cluster.add_gang("high", 1, 8, 90);
  EXPECT_THAT(started(cluster.decide()), ElementsAre("high"));
}

TEST(Decide, KeepsFreeNodesForTheGangAtTheHead) {
  TestCluster cluster;
  cluster.add_nodes(2);
  cluster.add_pod("n100", 8);
  cluster.add_gang("large", 2, 8);
  cluster.add_gang("small", 1, 4);
  const Schedule decision = cluster.decide();
  EXPECT_THAT(decision.admitted, IsEmpty());
  EXPECT_EQ(reason_of(decision, "small")->code, ReasonCode::kBehind);
  EXPECT_THAT(why(decision, "small"), HasSubstr("it would delay large, which came first"));
}

TEST(Decide, LetsASmallGangPassBesideTheReservation) {
  TestCluster cluster;
  cluster.add_nodes(2);
  cluster.add_pod("n100", 8);
  cluster.add_gang("large", 2, 6);
  cluster.add_gang("small", 1, 2);
  EXPECT_THAT(started(cluster.decide()), ElementsAre("small"));
}

TEST(Decide, TellsEachOfSeveralGangsOfOneShapeItsOwnFigures) {
  TestCluster cluster;
  cluster.add_nodes(3);
  cluster.add_pod("n100", 8);
  cluster.add_gang("three", 3, 8);
  cluster.add_gang("again", 3, 8);
  cluster.add_gang("nine", 9, 8);
  const Schedule decision = cluster.decide();
  EXPECT_EQ(reason_of(decision, "three")->wanted, 3);
  EXPECT_EQ(reason_of(decision, "again"), reason_of(decision, "three")) << "found out once";
  EXPECT_EQ(reason_of(decision, "nine")->wanted, 9);
  EXPECT_EQ(reason_of(decision, "three")->code, ReasonCode::kDoesNotFit);
  EXPECT_EQ(reason_of(decision, "nine")->code, ReasonCode::kNeverFits);
}

TEST(Decide, SaysHowLargeNodesAreOfAGangThatCanNeverFit) {
  TestCluster cluster;
  cluster.add_nodes(2, 4);
  for (const char* node : {"n100", "n101"}) cluster.add_pod(node, 4);
  cluster.add_gang("eight", 1, 8);
  cluster.add_gang("pair", 2, 8);
  const Schedule decision = cluster.decide();
  EXPECT_EQ(
      why(decision, "eight"),
      "no node is large enough, even if the cluster were empty: needs 8 GPUs (nvidia.com/gpu) in one pod, at most "
      "4 on one node");
  EXPECT_EQ(why(decision, "pair"),
            "no room for its 2 pods even if the cluster were empty (0/2 nodes are available for all): 2 nodes are too "
            "small (8 nvidia.com/gpu wanted, 4 at most)");
}

// As host ports, required pod affinity or a limit of volumes do.
TEST(Decide, TakesANodeThatRefusedAGangOnlyWhereThereIsNoOther) {
  TestCluster cluster;
  cluster.add_nodes(2);
  cluster.add_pod("n100", 4);
  cluster.add_gang("a", 1, 2);
  EXPECT_THAT(cluster.decide().admitted, ElementsAre(Admitted{.gang = "a", .nodes = {"n100"}})) << "the fullest";
  cluster.gangs.front().refused_by = {"n100", "n999"};
  EXPECT_THAT(cluster.decide().admitted, ElementsAre(Admitted{.gang = "a", .nodes = {"n101"}}));
  cluster.add_pod("n101", 8);
  EXPECT_THAT(cluster.decide().admitted, ElementsAre(Admitted{.gang = "a", .nodes = {"n100"}}));
}

TEST(Decide, KeepsNothingForAGangThatCanNeverFit) {
  TestCluster cluster;
  cluster.add_nodes(2);
  cluster.add_gang("giant", 1, 16);
  cluster.add_gang("small", 2, 8);
  const Schedule decision = cluster.decide();
  EXPECT_THAT(started(decision), ElementsAre("small"));
  EXPECT_EQ(reason_of(decision, "giant")->code, ReasonCode::kNeverFits);
}

TEST(Decide, LetsGangsForOtherNodesPassFreely) {
  TestCluster cluster;
  cluster.add_node("a100").labels["class"] = "A100";
  cluster.add_node("h100-0").labels["class"] = "H100";
  cluster.add_node("h100-1").labels["class"] = "H100";
  cluster.add_pod("h100-0", 8);
  PodShape h100 = *TestCluster::shape(8);
  h100.node_selector = {{"class", "H100"}};
  PodShape a100 = *TestCluster::shape(8);
  a100.node_selector = {{"class", "A100"}};
  cluster.add_gang("first", 2, h100);
  cluster.add_gang("second", 1, a100);
  EXPECT_THAT(started(cluster.decide()), ElementsAre("second"));
}

TEST(Decide, FinishesAGangThatHasStartedBeforeAllOthers) {
  TestCluster cluster;
  cluster.add_nodes(2);
  cluster.add_pod("n100", 8, "half-0");
  cluster.add_gang("urgent", 1, 8, 99);
  Gang& half = cluster.add_gang("half", 1, 8);
  half.held = 1;
  EXPECT_THAT(started(cluster.decide()), ElementsAre("half"));
}

TEST(Decide, MovesAReservationOnlyToNodesThatBecameFree) {
  TestCluster cluster;
  cluster.add_nodes(4);
  for (const Node& node : cluster.nodes) cluster.add_pod(node.name, 8);
  cluster.add_gang("large", 2, 8);
  const auto first = cluster.decide().reservations;
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].pods, (std::map<std::string, int>{{"n100", 1}, {"n101", 1}}));
  cluster.reservations = first;
  cluster.pods.pop_back();  // n103 becomes free
  EXPECT_EQ(cluster.decide().reservations[0].pods, (std::map<std::string, int>{{"n103", 1}, {"n100", 1}}));
}

TEST(Decide, TreatsAQuotaAsAReasonOfItsOwn) {
  TestCluster cluster;
  cluster.add_nodes(4);
  cluster.quotas.push_back({.ns = "default",
                            .name = "team",
                            .hard = {{"requests.nvidia.com/gpu", 24'000}},
                            .used = {{"requests.nvidia.com/gpu", 8'000}}});
  cluster.add_gang("large", 3, 8);
  cluster.add_gang("small", 1, 8);
  const Schedule decision = cluster.decide();
  EXPECT_THAT(decision.admitted, IsEmpty()) << "small would use up the quota that large waits for";
  EXPECT_EQ(why(decision, "large"),
            "the namespace's quota has no room for its 3 pods: quota team: requests.nvidia.com/gpu has 16 left, 24 "
            "wanted");
}

TEST(Decide, CountsAssumedPodsInQuotas) {
  TestCluster cluster;
  cluster.add_nodes(4);
  cluster.quotas.push_back({.ns = "default", .name = "team", .hard = {{"pods", 2'000}}, .used = {}});
  cluster.add_pod("n100", 8).is_assumed = true;
  cluster.add_gang("pair", 2, 8);
  cluster.add_gang("one", 1, 8);
  EXPECT_EQ(reason_of(cluster.decide(), "pair")->code, ReasonCode::kQuotaExceeded);
}

TEST(Decide, CountsWhatIsThereWhereNobodyElseCounts) {
  TestCluster cluster;
  cluster.add_nodes(4);
  cluster.quotas.push_back({.ns = "default",
                            .name = "team",
                            .hard = {{"requests.nvidia.com/gpu", 16'000}},
                            .used = {},
                            .is_counted = false});
  cluster.add_pod("n100", 8);
  cluster.add_pod("n101", 4).is_assumed = true;
  cluster.add_gang("pair", 2, 4);
  const Schedule decision = cluster.decide();
  EXPECT_EQ(
      why(decision, "pair"),
      "the namespace's quota has no room for its 2 pods: quota team: requests.nvidia.com/gpu has 4 left, 8 wanted")
      << "whole, or not at all";
  cluster.gangs.clear();
  cluster.add_gang("one", 1, 4);
  EXPECT_THAT(started(cluster.decide()), ElementsAre("one"));
  cluster.quotas.front().is_counted = true;
  cluster.gangs.clear();
  cluster.add_gang("pair", 2, 4);
  EXPECT_THAT(started(cluster.decide()), ElementsAre("pair")) << "only the assumed pod is not yet in what is counted";
}

TEST(Decide, HoldsNobodyUpForAGangBeyondItsQuotaForGood) {
  TestCluster cluster;
  cluster.add_nodes(4);
  cluster.quotas.push_back({.ns = "default", .name = "team", .hard = {{"pods", 2'000}}, .used = {}});
  cluster.add_gang("three", 3, 8);
  cluster.add_gang("two", 2, 8);
  EXPECT_THAT(started(cluster.decide()), ElementsAre("two"));
}

TEST(Decide, StartsWithoutNamingNodesWhereTheyCannotBeRead) {
  TestCluster cluster;
  cluster.add_gang("a", 2, 8);
  cluster.add_gang("b", 2, 8);
  cluster.add_gang("single", 1, 8);
  Snapshot snapshot = cluster.snapshot();
  snapshot.is_blind = true;
  Schedule decision = decide(snapshot, cluster.gangs, {}, {});
  EXPECT_THAT(started(decision), ElementsAre("a", "single"));
  EXPECT_THAT(decision.admitted[0].nodes, ElementsAre("", ""));
  EXPECT_EQ(reason_of(decision, "b")->code, ReasonCode::kOtherUnbound);
  snapshot.has_unbound_gang = true;
  EXPECT_THAT(started(decide(snapshot, cluster.gangs, {}, {})), ElementsAre("single"));
}

TEST(Decide, DoesNotDependOnTheOrderOfItsInput) {
  TestCluster cluster;
  cluster.add_nodes(6, 4);
  cluster.add_pod("n102", 1);
  cluster.add_pod("n104", 3);
  for (int i = 0; i < 6; ++i) cluster.add_gang("g" + std::to_string(i), 1 + i % 3, 1 + i);
  const Schedule forward = cluster.decide();
  std::ranges::reverse(cluster.nodes);
  std::ranges::reverse(cluster.pods);
  std::ranges::reverse(cluster.gangs);
  const Schedule backward = cluster.decide();
  EXPECT_EQ(forward.admitted, backward.admitted);
  EXPECT_EQ(forward.reservations, backward.reservations);
}

TEST(Decide, StopsAtItsLimitAndSaysSo) {
  TestCluster cluster;
  cluster.add_nodes(4);
  cluster.options.max_admissions = 2;
  for (int i = 0; i < 4; ++i) cluster.add_gang("g" + std::to_string(i), 1, 8);
  const Schedule decision = cluster.decide();
  EXPECT_THAT(started(decision), ElementsAre("g0", "g1"));
  EXPECT_TRUE(decision.is_unfinished);
  EXPECT_EQ(reason_of(decision, "g3")->code, ReasonCode::kNotTried);
}

AntiAffinity apart_from(const std::string& app) {
  AntiAffinity rule;
  rule.topology_key = "kubernetes.io/hostname";
  rule.selector.equal = {{"app", app}};
  return rule;
}

// A database of somebody else's must not make each trial a case of its own.
TEST(Decide, FindsOutOnceForGangsThatDifferInLabelsThatNoRuleNames) {
  TestCluster cluster;
  cluster.add_nodes(2);
  PodShape database = *TestCluster::shape(8);
  database.labels = {{"app", "etcd"}};
  database.anti_affinity = {apart_from("etcd")};
  for (const char* node : {"n100", "n101"}) cluster.add_pod(node, 8).shape = std::make_shared<PodShape>(database);
  for (const char* name : {"first", "second", "third"}) {
    PodShape trial = *TestCluster::shape(8);
    trial.labels = {{"trial", name}};
    cluster.add_gang(name, 1, trial);
  }
  PodShape excluded = *TestCluster::shape(8);
  excluded.labels = {{"app", "etcd"}};
  cluster.add_gang("excluded", 1, excluded);
  const Schedule decision = cluster.decide();
  EXPECT_EQ(reason_of(decision, "third"), reason_of(decision, "second"));
  EXPECT_NE(reason_of(decision, "excluded"), reason_of(decision, "third"));
  EXPECT_THAT(why(decision, "excluded"), HasSubstr("pod anti-affinity"));
  EXPECT_THAT(why(decision, "third"), Not(HasSubstr("pod anti-affinity")));
}

TEST(Decide, GetsToEveryGangOfAQueueThatIsLongerThanItsTries) {
  TestCluster cluster;
  cluster.add_nodes(1);
  cluster.add_pod("n100", 4);
  cluster.options.max_tries = 4;
  for (int i = 0; i < 20; ++i) cluster.add_gang("other-" + std::to_string(i), 1, *TestCluster::shape(8, 1000 + i));
  cluster.add_gang("small", 1, 0);
  std::vector<std::string> first;
  int decisions = 0;
  for (; decisions < 20 && first.empty(); ++decisions) {
    const Schedule decision = cluster.decide();
    first = started(decision);
    cluster.reservations = decision.reservations;
    cluster.options.resume_at = decision.stopped_at;
  }
  EXPECT_THAT(first, ElementsAre("small"));
  EXPECT_LE(decisions, 10) << "half of the tries go on from where the last decision stopped";
}

TEST(Decide, BeginsAtTheFrontWhereWhatItStoppedAtIsGone) {
  TestCluster cluster;
  cluster.add_nodes(1);
  cluster.options.max_tries = 2;
  cluster.options.resume_at = "gone";
  cluster.add_gang("a", 1, 2);
  cluster.add_gang("b", 1, 2);
  EXPECT_THAT(started(cluster.decide()), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace det::scheduler
