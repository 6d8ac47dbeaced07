#include "operator/gang_state.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace det::op {
namespace {

using nlohmann::json;

PodFacts pod(int rank) {
  PodFacts facts;
  facts.key = {.ns = "default", .name = "t-1-" + std::to_string(rank)};
  facts.rank = rank;
  facts.node = "n";
  facts.phase = PodPhase::kRunning;
  facts.main_is_running = true;
  return facts;
}

PodFacts exited(int rank, int code) {
  PodFacts facts = pod(rank);
  facts.phase = code == 0 ? PodPhase::kSucceeded : PodPhase::kFailed;
  facts.main_is_running = false;
  facts.exit_code = code;
  return facts;
}

TEST(GangState, RunsWhenEveryPodRuns) {
  const auto state = observe_gang({pod(1), pod(0)}, {.size = 2, .created = {0, 1}, .daemons = {}});
  EXPECT_EQ(state.reached, model::AllocationState::kRunning);
  EXPECT_FALSE(state.exit);
  EXPECT_EQ(state.pods.front().rank, 0);
  EXPECT_EQ(state.alive, 2);
}

TEST(GangState, OneFailureEndsTheGang) {
  const auto state = observe_gang({pod(0), exited(1, 3)}, {.size = 2, .created = {0, 1}, .daemons = {}});
  ASSERT_TRUE(state.exit);
  EXPECT_EQ(state.exit->kind, ExitClass::kUserError);
  EXPECT_EQ(state.exit->code, 3);
  EXPECT_EQ(state.exit->message, "resources failed with non-zero exit code: pod t-1-1 (exit code 3)");
  EXPECT_EQ(state.alive, 1);
}

TEST(GangState, SucceedsWhenAllHave) {
  EXPECT_FALSE(observe_gang({exited(0, 0), pod(1)}, {.size = 2, .created = {0, 1}, .daemons = {}}).exit);
  const auto state = observe_gang({exited(0, 0), exited(1, 0)}, {.size = 2, .created = {0, 1}, .daemons = {}});
  ASSERT_TRUE(state.exit);
  EXPECT_EQ(state.exit->kind, ExitClass::kSuccess);
}

TEST(GangState, ADaemonsExitDoesNotMatter) {
  const auto state = observe_gang({exited(0, 0), exited(1, 137)}, {.size = 2, .created = {0, 1}, .daemons = {1}});
  ASSERT_TRUE(state.exit);
  EXPECT_EQ(state.exit->kind, ExitClass::kSuccess);
}

TEST(GangState, AVanishedPodIsTheInfrastructuresFault) {
  const auto state = observe_gang({pod(0)}, {.size = 2, .created = {0, 1}, .daemons = {}});
  ASSERT_TRUE(state.exit);
  EXPECT_EQ(state.exit->kind, ExitClass::kInfrastructure);
  EXPECT_EQ(state.exit->reason, "PodVanished");
}

TEST(GangState, APodThatWasNeverMadeHasNotVanished) {
  const auto state = observe_gang({pod(0)}, {.size = 2, .created = {0}, .daemons = {}});
  EXPECT_FALSE(state.exit);
  EXPECT_EQ(state.missing, 1);
}

TEST(GangState, AnEvictionIsNotTheUsersFaultWhateverTheExitCode) {
  PodFacts evicted = exited(0, 137);
  evicted.pod_reason = "Evicted";
  const auto state = observe_gang({evicted}, {.size = 1, .created = {0}, .daemons = {}});
  ASSERT_TRUE(state.exit);
  EXPECT_EQ(state.exit->kind, ExitClass::kInfrastructure);
  EXPECT_EQ(state.exit->reason, "Evicted");
}

TEST(GangState, ADeletedPodsExitCodeIsNotTheProgramsFault) {
  PodFacts deleted = exited(0, 143);
  deleted.deleting = true;
  const auto state = observe_gang({deleted}, {.size = 1, .created = {0}, .daemons = {}});
  ASSERT_TRUE(state.exit);
  EXPECT_EQ(state.exit->kind, ExitClass::kInfrastructure);
  EXPECT_EQ(state.exit->reason, "PodDeleted");
}

TEST(GangState, AFailureIsTheCauseOfTheDeletionsThatFollowIt) {
  PodFacts deleted = exited(0, 143);
  deleted.deleting = true;
  const auto state = observe_gang({deleted, exited(1, 3)}, {.size = 2, .created = {0, 1}, .daemons = {}});
  ASSERT_TRUE(state.exit);
  EXPECT_EQ(state.exit->code, 3);
}

TEST(GangState, SaysWhenMemoryRanOut) {
  PodFacts killed = exited(0, 137);
  killed.exit_reason = "OOMKilled";
  const auto state = observe_gang({killed}, {.size = 1, .created = {0}, .daemons = {}});
  ASSERT_TRUE(state.exit);
  EXPECT_EQ(state.exit->reason, "OOMKilled");
}

TEST(ViewPod, ReadsWhatAKubeletReports) {
  const json object = json::parse(R"({
    "metadata": {"name": "a-1-1-0", "namespace": "ml", "uid": "u", "labels": {
      "det-operator.dev/trial": "a-1", "det-operator.dev/run": "1", "det-operator.dev/rank": "0"}},
    "spec": {"nodeName": "n1"},
    "status": {"phase": "Pending", "podIP": "10.0.0.1",
      "conditions": [{"type": "PodScheduled", "status": "True"}],
      "containerStatuses": [{"name": "sidecar", "state": {"running": {}}},
        {"name": "determined-container", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}]}})");
  const PodFacts facts = view_pod(object);
  EXPECT_EQ(facts.trial, "a-1");
  EXPECT_EQ(facts.run, 1);
  EXPECT_TRUE(facts.is_scheduled);
  EXPECT_EQ(facts.waiting_reason, "ImagePullBackOff");
  const auto state = observe_gang({facts}, {.size = 1, .created = {0}, .daemons = {}});
  EXPECT_EQ(state.reached, model::AllocationState::kStarting);
  EXPECT_EQ(state.waiting_reason, "ImagePullBackOff");
}

TEST(ViewPod, ReadsWhyItIsNotScheduled) {
  const json object = json::parse(R"({"metadata": {"name": "p"}, "status": {"phase": "Pending", "conditions": [
    {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/2 nodes are available"}]}})");
  const auto state = observe_gang({view_pod(object)}, {.size = 1, .created = {0}, .daemons = {}});
  EXPECT_EQ(state.reached, model::AllocationState::kPending);
  EXPECT_EQ(state.waiting_reason, "Unschedulable");
  EXPECT_EQ(state.waiting_message, "pod p waits: 0/2 nodes are available");
}

TEST(ViewPod, SurvivesAnythingItIsGiven) {
  for (const char* text :
       {"null", "[]", "{}", R"({"metadata": 3, "status": {"conditions": {}, "containerStatuses": [1]}})"}) {
    EXPECT_EQ(view_pod(json::parse(text)).phase, PodPhase::kPending) << text;
  }
}

}  // namespace
}  // namespace det::op
