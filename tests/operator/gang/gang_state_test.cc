#include "operator/gang/gang_state.h"

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

TEST(GangState, SaysWhyTheCodeCouldNotBeFetchedAndNothingElseOfTheLog) {
  PodFacts failed = exited(0, 1);
  failed.exit_message = "spec.context.git: cannot fetch main of https://example.com/a";
  EXPECT_EQ(observe_gang({failed}, {.size = 1, .created = {0}, .daemons = {}}).exit->message,
            "resources failed with non-zero exit code: pod t-1-0 (exit code 1): spec.context.git: cannot fetch main of "
            "https://example.com/a");
  failed.exit_message = "Traceback";
  EXPECT_EQ(observe_gang({failed}, {.size = 1, .created = {0}, .daemons = {}}).exit->message,
            "resources failed with non-zero exit code: pod t-1-0 (exit code 1)");
}

TEST(GangState, SaysWhyATaskCouldNotEvenBegin) {
  const auto told = [](int code, const char* said) {
    PodFacts failed = exited(0, code);
    failed.exit_message = said;
    return observe_gang({failed}, {.size = 1, .created = {0}, .daemons = {}}).exit->message;
  };
  const std::string words = "resources failed with non-zero exit code: pod t-1-0 ";
  EXPECT_EQ(told(127, "ERROR: this task needs Python 3.6 or later"),
            words + "(exit code 127): ERROR: this task needs Python 3.6 or later");
  EXPECT_EQ(told(80, "ship_logs: DET_MASTER is not set"), words + "(exit code 80): ship_logs: DET_MASTER is not set");
  EXPECT_EQ(told(1, "ship_logs: gave up"), words + "(exit code 1)") << "the end of a log is anything";
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

TEST(GangState, WhatEndedWellMayBeDeletedWhileTheOthersRun) {
  GangExpectation expected{.size = 2, .created = {0, 1}, .daemons = {}};
  expected.gone = {{1, exited(1, 0)}};
  const auto state = observe_gang({pod(0)}, expected);
  EXPECT_FALSE(state.exit);
  EXPECT_EQ(state.reached, model::AllocationState::kRunning) << "it would be withdrawn as not bound in time";
  const auto daemon = observe_gang({pod(0)}, {.size = 2, .created = {0, 1}, .daemons = {1}});
  EXPECT_FALSE(daemon.exit);
  EXPECT_EQ(daemon.reached, model::AllocationState::kRunning);
}

TEST(GangState, DaemonsAloneEndTheGangWhenAllHaveEnded) {
  const GangExpectation daemons{.size = 2, .created = {0, 1}, .daemons = {0, 1}};
  EXPECT_FALSE(observe_gang({pod(0), exited(1, 0)}, daemons).exit);
  const auto state = observe_gang({exited(0, 0), exited(1, 0)}, daemons);
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
  killed.memory_limit = "64Mi";
  const auto state = observe_gang({killed}, {.size = 1, .created = {0}, .daemons = {}});
  ASSERT_TRUE(state.exit);
  EXPECT_EQ(state.exit->reason, "OOMKilled");
  EXPECT_NE(state.exit->message.find("limit of 64Mi"), std::string::npos) << state.exit->message;
}

TEST(GangState, APodThatWasEvictedAndIsGoneIsRemembered) {
  PodFacts evicted = pod(0);
  evicted.is_disrupted = true;
  evicted.disruption = "EvictionByEvictionAPI";
  const auto state = observe_gang({}, {.size = 1, .created = {0}, .daemons = {}, .gone = {{0, evicted}}});
  ASSERT_TRUE(state.exit);
  EXPECT_EQ(state.exit->message, "pod t-1-0 was stopped by the cluster: EvictionByEvictionAPI");
}

PodFacts stopped_before_it_ran(int rank) {
  PodFacts facts = exited(rank, 137);
  facts.exit_reason = "ContainerStatusUnknown";
  facts.main_never_started = true;
  facts.pod_reason = "Terminated";
  return facts;
}

TEST(GangState, NothingIsLostOfAGangThatWasStoppedBeforeItRan) {
  PodFacts waits = pod(1);
  waits.main_is_running = false;
  const GangExpectation expected{.size = 2, .created = {0, 1}, .daemons = {}};
  EXPECT_TRUE(observe_gang({stopped_before_it_ran(0), waits}, expected).exit->never_ran);
  const auto half = observe_gang({stopped_before_it_ran(0), pod(1)}, expected);
  EXPECT_EQ(half.exit->reason, "Terminated");
  EXPECT_FALSE(half.exit->never_ran) << "the other one runs";
  EXPECT_FALSE(observe_gang({stopped_before_it_ran(0), exited(1, 0)}, expected).exit->never_ran);
}

TEST(GangState, APodThatIsGoneNeverRanIfItsNodeSaidSo) {
  GangExpectation expected{.size = 1, .created = {0}, .daemons = {}, .gone = {{0, stopped_before_it_ran(0)}}};
  EXPECT_TRUE(observe_gang({}, expected).exit->never_ran);
}

const WallTime kNow = *parse_rfc3339("2026-11-21T12:00:00Z");

PodFacts waiting(const std::string& reason) {
  PodFacts facts = pod(0);
  facts.phase = PodPhase::kPending;
  facts.main_is_running = false;
  facts.started_at = kNow;
  facts.waiting_reason = reason;
  facts.waiting_message = "no such image";
  return facts;
}

GangState observe_one(const PodFacts& one, WallTime now) {
  return observe_gang({one}, {.size = 1, .created = {0}, .daemons = {}, .now = now});
}

TEST(GangState, GivesAnImageThatCannotBePulledSomeTime) {
  const auto patient = observe_one(waiting("ImagePullBackOff"), kNow);
  EXPECT_FALSE(patient.exit);
  EXPECT_EQ(patient.look_again_at, kNow + kStartPatience);
  const auto over = observe_one(waiting("ImagePullBackOff"), kNow + kStartPatience);
  ASSERT_TRUE(over.exit);
  EXPECT_EQ(over.exit->kind, ExitClass::kInfrastructure);
  EXPECT_TRUE(over.exit->never_ran);
  EXPECT_EQ(over.exit->message, "pod t-1-0 cannot start (ImagePullBackOff): no such image");
}

TEST(GangState, CountsThePatienceFromTheFirstFailure) {
  PodFacts late = waiting("ErrImagePull");
  late.started_at = kNow - std::chrono::minutes(4);
  late.first_seen.stuck = kNow;
  EXPECT_FALSE(observe_one(late, kNow).exit);
  EXPECT_EQ(observe_one(late, kNow).look_again_at, kNow + kStartPatience);
  EXPECT_TRUE(observe_one(late, kNow + kStartPatience).exit);
}

TEST(GangState, WaitsForAsLongAsItTakesWhereNothingIsWrong) {
  for (const char* reason : {"ContainerCreating", "PodInitializing", "Unschedulable"}) {
    EXPECT_FALSE(observe_one(waiting(reason), kNow + std::chrono::hours(48)).exit) << reason;
  }
}

TEST(GangState, AnImageNameThatIsNoneCanNeverRun) {
  const auto state = observe_one(waiting("InvalidImageName"), kNow);
  ASSERT_TRUE(state.exit);
  EXPECT_EQ(state.exit->kind, ExitClass::kInvalidPod);
}

TEST(GangState, APodWhoseNodeDoesNotConfirmItsEndIsLost) {
  PodFacts gone = pod(0);
  gone.deleting = true;
  gone.deletion_due = kNow;
  const auto patient = observe_one(gone, kNow);
  EXPECT_FALSE(patient.exit);
  EXPECT_EQ(patient.alive, 1);
  EXPECT_EQ(patient.look_again_at, kNow + kLostPatience);
  const auto over = observe_one(gone, kNow + kLostPatience);
  ASSERT_TRUE(over.exit);
  EXPECT_EQ(over.exit->kind, ExitClass::kInfrastructure);
  EXPECT_EQ(over.exit->reason, "NodeLost");
  EXPECT_EQ(over.alive, 0);
}

// Our clock is a minute ahead of the API server's and of the node's.
constexpr std::chrono::seconds kAhead{65};

TEST(GangState, APodIsNotLostBeforeItsGraceIsOverByOurClock) {
  PodFacts drained = pod(0);
  drained.deleting = true;
  drained.told_to_stop = kNow - kAhead;
  drained.deletion_due = *drained.told_to_stop + std::chrono::seconds(30);
  drained.first_seen.deletion = kNow;
  EXPECT_FALSE(observe_one(drained, kNow).exit);
  EXPECT_EQ(observe_one(drained, kNow).look_again_at, kNow + std::chrono::seconds(30) + kLostPatience);
  EXPECT_EQ(observe_one(drained, kNow + std::chrono::minutes(1)).exit->reason, "NodeLost");
}

TEST(GangState, APhaseIsWaitedForByOurClock) {
  PodFacts stopped = exited(0, 0);
  stopped.phase = PodPhase::kRunning;
  stopped.stopped_at = kNow - kAhead;
  stopped.first_seen.stop = kNow;
  EXPECT_EQ(observe_one(stopped, kNow).alive, 0);
  EXPECT_EQ(observe_one(stopped, kNow + kPhasePatience).alive, 1);
}

TEST(GangState, AGangHasItsTimeToBeBoundByOurClock) {
  PodFacts first = pod(0);
  first.created = kNow - kAhead;
  const std::chrono::seconds limit(60);
  EXPECT_EQ(bind_deadline({first}, limit), kNow - kAhead + limit) << "nobody knows when it was seen";
  first.first_seen.pod = kNow;
  PodFacts second = pod(1);
  second.created = second.first_seen.pod = kNow + std::chrono::seconds(1);
  EXPECT_EQ(bind_deadline({second, first}, limit), kNow + limit);
  EXPECT_EQ(bind_deadline({first}, std::nullopt), std::nullopt);
  EXPECT_EQ(bind_deadline({}, limit), std::nullopt);
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
  EXPECT_EQ(to_string(facts.owner), "trial/" + facts.key.ns + "/a-1");
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

TEST(ViewPod, NamesASchedulerThatSaysNothing) {
  json object = json::parse(R"({"metadata": {"name": "p"}, "spec": {"schedulerName": "volcano"},
    "status": {"phase": "Pending"}})");
  const GangExpectation expected{.size = 1, .created = {0}, .daemons = {}};
  EXPECT_EQ(observe_gang({view_pod(object)}, expected).waiting_message,
            "pod p waits: scheduler 'volcano' (schedulerName) has not looked at it; does it run?");
  object["spec"]["schedulerName"] = "default-scheduler";
  EXPECT_EQ(observe_gang({view_pod(object)}, expected).waiting_message, "pod p waits");
  object["spec"]["schedulerName"] = "volcano";
  object["spec"]["nodeName"] = "n1";
  EXPECT_EQ(observe_gang({view_pod(object)}, expected).waiting_message, "pod p waits");
}

TEST(ViewPod, ReadsThatItIsNotSetUp) {
  json object = json::parse(R"({"metadata": {"name": "p"}, "status": {"phase": "Pending", "conditions": [
    {"type": "PodScheduled", "status": "True"}, {"type": "PodReadyToStartContainers", "status": "False"}]}})");
  EXPECT_TRUE(view_pod(object).lacks_sandbox);
  object["status"]["conditions"][1]["status"] = "True";
  EXPECT_FALSE(view_pod(object).lacks_sandbox);
}

TEST(ObserveGang, TellsWhatANodeCouldNotDoRatherThanThatAnotherStarts) {
  PodFacts starting;
  starting.key.name = "p-0";
  starting.is_scheduled = true;
  starting.waiting_reason = "ContainerCreating";
  PodFacts failing = starting;
  failing.key.name = "p-1";
  failing.rank = 1;
  failing.waiting_reason = "FailedMount";
  failing.waiting_message = "no such secret";
  const GangExpectation expected{.size = 2, .created = {0, 1}, .daemons = {}};
  auto state = observe_gang({starting, failing}, expected);
  EXPECT_TRUE(state.cannot_start);
  EXPECT_EQ(state.waiting_message, "pod p-1 cannot start (FailedMount): no such secret");
  EXPECT_EQ(state.exit, std::nullopt);
  EXPECT_EQ(state.look_again_at, std::nullopt) << "time alone ends no pod whose volumes are late";
  state = observe_gang({starting, starting}, expected);
  EXPECT_FALSE(state.cannot_start);
  EXPECT_EQ(state.waiting_message, "pod p-0 waits");
}

TEST(ViewPod, NamesTheLabelsThatNoNodeHas) {
  const json object = json::parse(R"({"metadata": {"name": "p"}, "spec": {"nodeSelector": {"gpu": "B999"}},
    "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
      "message": "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."}]}})");
  const auto state = observe_gang({view_pod(object)}, {.size = 1, .created = {0}, .daemons = {}});
  EXPECT_EQ(state.waiting_message,
            "pod p waits: 0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. (the pod wants "
            "gpu=B999)");
}

TEST(ViewPod, SurvivesAnythingItIsGiven) {
  for (const char* text :
       {"null", "[]", "{}", R"({"metadata": 3, "status": {"conditions": {}, "containerStatuses": [1]}})"}) {
    EXPECT_EQ(view_pod(json::parse(text)).phase, PodPhase::kPending) << text;
  }
}

}  // namespace
}  // namespace det::op
