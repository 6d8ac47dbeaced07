#include "operator/gang/own_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_get.h"
#include "pods/names.h"
#include "scheduler/read_objects.h"
#include "tests/support/background.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_transport.h"

namespace det::op {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;

json node(const std::string& name, int gpus = 8) {
  const json offered = {{"cpu", "64"}, {"pods", "110"}, {"nvidia.com/gpu", std::to_string(gpus)}};
  return {{"metadata", {{"name", name}}},
          {"status", {{"allocatable", offered}, {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}};
}

WorkloadKey owner_of(const std::string& trial) {
  return workload_of_trial({.ns = "default", .name = trial});
}

json pod(const std::string& trial, int rank) {
  const json labels = {{pods::kLabelManagedBy, "det-operator"}, {pods::kLabelTrial, trial}, {pods::kLabelRun, "1"}};
  json container = {{"name", "c"}, {"resources", {{"limits", {{"nvidia.com/gpu", "8"}}}}}};
  return {{"metadata",
           {{"name", trial + "-1-" + std::to_string(rank)},
            {"namespace", "default"},
            {"labels", labels},
            {"ownerReferences", {{{"uid", trial}, {"controller", true}}}}}},
          {"spec", {{"containers", {std::move(container)}}}}};
}

GangRequest gang(const std::string& trial, int size, int first_missing = 0) {
  GangRequest gang{.owner = owner_of(trial), .owner_uid = trial, .name = trial + "-1", .size = size};
  for (int rank = first_missing; rank < size; ++rank) gang.pods.push_back(pod(trial, rank));
  return gang;
}

class OwnBackendTest : public testing::Test {
 protected:
  using Answer = std::optional<Result<std::optional<GangWait>>>;

  // One leadership; a second call is the next one.
  void lead(std::string ns = "default") {
    background.emplace(io);
    OwnBackendOptions options{.config = config, .ns = std::move(ns), .managed_by = "det-operator"};
    backend.emplace(io.get_executor(), client, clock, options,
                    [this](const WorkloadKey& owner) { woken.push_back(to_string(owner)); });
    background->start(backend->run());
    clock.advance(seconds(1));
  }
  void kill() {
    background.reset();
    backend.reset();
  }
  // What create() answers, after the loop had time to decide.
  Answer create(GangRequest wanted) {
    Answer answer;
    background->start(keep(backend->create(std::move(wanted)), answer));
    clock.advance(seconds(1));
    return answer;
  }
  static Task<void> keep(Task<Result<std::optional<GangWait>>> task, Answer& into) {
    into.emplace(co_await std::move(task));
  }
  std::string waits(const Answer& answer) {
    if (!answer || !*answer) return "no answer";
    return **answer ? (***answer).reason : "";
  }
  // So often the operator is told that it may not read nodes.
  void refuse_nodes(int times = 1) {
    calls.answer_next(
        "/api/v1/nodes?limit=1",
        {.status = 403, .headers = {}, .body = R"({"kind": "Status", "code": 403, "reason": "Forbidden"})"}, times);
  }
  std::string host(const std::string& name) {
    return scheduler::node_of(server.find(k8s::pods(), {.ns = "default", .name = name}));
  }
  std::size_t pods() { return server.all(k8s::pods()).size(); }

  asio::io_context io;
  test::FakeClock clock{io};
  test::FakeApiServer server{io.get_executor(), clock};
  test::FaultyTransport calls{server, io.get_executor(), clock};
  k8s::Client client{calls, server, server.config(), clock, "det-test"};
  model::SchedulerConfig config;
  std::vector<std::string> woken;
  std::optional<OwnBackend> backend;
  std::optional<test::Background> background;
};

TEST_F(OwnBackendTest, PinsEachPodToItsNode) {
  server.create(k8s::nodes(), node("n1"));
  server.create(k8s::nodes(), node("n2"));
  lead();
  EXPECT_EQ(waits(create(gang("a", 2))), "");
  EXPECT_EQ(host("a-1-0"), "n1");
  EXPECT_EQ(host("a-1-1"), "n2");
}

TEST_F(OwnBackendTest, MakesNoPodUntilAllHaveRoomThenWakesTheTrial) {
  server.create(k8s::nodes(), node("n1"));
  lead();
  EXPECT_EQ(waits(create(gang("a", 2))), "GangNeverFits");
  EXPECT_EQ(pods(), 0U);
  woken.clear();
  server.create(k8s::nodes(), node("n2"));
  clock.advance(seconds(1));
  EXPECT_THAT(woken, Contains("trial/default/a"));
  EXPECT_EQ(waits(create(gang("a", 2))), "");
  EXPECT_EQ(pods(), 2U);
}

TEST_F(OwnBackendTest, CountsPodsThatWereOnlyDecidedOn) {
  server.create(k8s::nodes(), node("n1"));
  lead();
  EXPECT_EQ(waits(create(gang("a", 1))), "");
  EXPECT_EQ(waits(create(gang("b", 1))), "GangDoesNotFit");
}

TEST_F(OwnBackendTest, TellsApartGangsOfOneNameInTwoNamespaces) {
  server.create(k8s::nodes(), node("n1"));
  lead("");
  EXPECT_NE(waits(create(gang("a", 2))), "");
  GangRequest theirs = gang("a", 1);
  theirs.owner.key.ns = "other";
  theirs.pods.front()["metadata"]["namespace"] = "other";
  EXPECT_EQ(waits(create(theirs)), "") << "they were given what the other one waits for, and it nothing";
  EXPECT_EQ(pods(), 1U);
  EXPECT_EQ(scheduler::node_of(server.find(k8s::pods(), {.ns = "other", .name = "a-1-0"})), "n1");
  EXPECT_NE(waits(create(gang("a", 2))), "");
}

TEST_F(OwnBackendTest, GivesRoomToWhoseJobWasPutAhead) {
  lead();
  GangRequest first = gang("a", 1);
  first.job = {.experiment = model::ExperimentId{1}, .submitted = WallTime(seconds(10))};
  GangRequest second = gang("b", 1);
  second.job = {.experiment = model::ExperimentId{2}, .submitted = WallTime(seconds(20))};
  create(first);
  create(second);
  store::JobPlaces places;
  places.experiments[model::ExperimentId{2}] = 1;
  backend->set_places(places);
  server.create(k8s::nodes(), node("n1"));
  clock.advance(seconds(1));
  EXPECT_EQ(waits(create(second)), "");
  EXPECT_NE(waits(create(first)), "");
  EXPECT_EQ(host("b-1-0"), "n1");
}

TEST_F(OwnBackendTest, GivesRoomToTheEarlierJob) {
  lead();
  GangRequest first = gang("b", 1);
  first.job = {.experiment = model::ExperimentId{1}, .submitted = WallTime(seconds(10))};
  first.order = 9;  // a late trial of an early experiment
  GangRequest second = gang("a", 1);
  second.job = {.experiment = model::ExperimentId{2}, .submitted = WallTime(seconds(20))};
  second.order = 2;
  create(second);
  create(first);
  server.create(k8s::nodes(), node("n1"));
  clock.advance(seconds(1));
  EXPECT_EQ(waits(create(first)), "");
  EXPECT_NE(waits(create(second)), "");
}

TEST_F(OwnBackendTest, FinishesAGangThatWasCutOffInTheMiddle) {
  server.create(k8s::nodes(), node("n1"));
  server.create(k8s::nodes(), node("n2"));
  json first = pod("a", 0);
  scheduler::pin_to(first, "n2");
  server.create(k8s::pods(), first);
  lead();
  EXPECT_EQ(waits(create(gang("a", 2, 1))), "");
  EXPECT_EQ(host("a-1-1"), "n1") << "n2 is taken by the pod that was made before";
}

TEST_F(OwnBackendTest, FindsItsPlacesAgainAfterItWasKilled) {
  server.create(k8s::nodes(), node("n1"));
  lead();
  EXPECT_EQ(waits(create(gang("a", 1))), "");
  kill();
  lead();
  EXPECT_EQ(waits(create(gang("b", 1))), "GangDoesNotFit") << "pinned, not bound, and still counted";
}

TEST_F(OwnBackendTest, APodThatCameAndWentHoldsNoPlace) {
  server.create(k8s::nodes(), node("n1"));
  lead();
  EXPECT_EQ(waits(create(gang("a", 1))), "");
  server.erase(k8s::pods(), {.ns = "default", .name = "a-1-0"});
  clock.advance(seconds(1));
  EXPECT_EQ(waits(create(gang("b", 1))), "");
}

TEST_F(OwnBackendTest, GivesAPlaceBackWhenItIsReleased) {
  server.create(k8s::nodes(), node("n1"));
  lead();
  EXPECT_EQ(waits(create(gang("a", 2))), "GangNeverFits");
  Status released;
  background->start(
      [](OwnBackend& b, Status& into) -> Task<void> { into = co_await b.release(owner_of("a")); }(*backend, released));
  clock.advance(seconds(1));
  EXPECT_EQ(waits(create(gang("b", 1))), "");
}

// As a LimitRange does.
void want_cpu(const std::string& collection, json& object, const char* cpu) {
  if (collection != "v1/pods") return;
  for (json& container : object["spec"]["containers"]) container["resources"]["requests"]["cpu"] = cpu;
}

TEST_F(OwnBackendTest, CountsWhatAdmissionAdds) {
  server.create(k8s::nodes(), node("n1"));
  server.admit_with([](const std::string& collection, json& object) { want_cpu(collection, object, "65"); });
  lead();
  const Answer answer = create(gang("a", 1));
  EXPECT_EQ(waits(answer), "GangNeverFits");
  EXPECT_THAT((***answer).message, HasSubstr("65 CPUs"));
  EXPECT_EQ(pods(), 0U);
}

TEST_F(OwnBackendTest, AGangWhoseRequestsAdmissionJustChangedIsWithdrawnAndPlacedAnew) {
  server.create(k8s::nodes(), node("n1"));
  server.create(k8s::nodes(), node("n2"));
  lead();
  EXPECT_EQ(waits(create(gang("a", 1))), "");
  server.admit_with([](const std::string& collection, json& object) { want_cpu(collection, object, "65"); });
  const Answer answer = create(gang("b", 1));
  EXPECT_EQ(waits(answer), "BackingOff") << "what a dry run said a second ago was counted with";
  EXPECT_THAT((***answer).message, HasSubstr("admission"));
  EXPECT_EQ(pods(), 1U) << "a's";
  clock.advance(seconds(12));
  EXPECT_EQ(waits(create(gang("b", 1))), "GangNeverFits");
}

TEST_F(OwnBackendTest, ALaterPodThatIsRefusedTakesItsWholeGangAlong) {
  for (const char* name : {"n1", "n2", "n3", "n4"}) server.create(k8s::nodes(), node(name));
  lead();
  const std::string create_pod = "POST /api/v1/namespaces/default/pods";
  calls.delay_next(create_pod, {});  // the dry run
  calls.delay_next(create_pod, {});  // the first pod, which is made alone
  const json refusal = {{"kind", "Status"},
                        {"code", 403},
                        {"reason", "Forbidden"},
                        {"message", "pods \"a-1-2\" is forbidden: exceeded quota: gpus"}};
  calls.answer_next(create_pod, {.status = 403, .headers = {}, .body = refusal.dump()});
  const Answer answer = create(gang("a", 4));
  EXPECT_EQ(calls.unused_faults(), 0U);
  EXPECT_EQ(waits(answer), "BackingOff");
  EXPECT_THAT((***answer).message, HasSubstr("exceeded quota: gpus"));
  EXPECT_EQ(pods(), 0U) << "also those that were made beside it";
  clock.advance(seconds(12));
  EXPECT_EQ(waits(create(gang("a", 4))), "");
  EXPECT_EQ(pods(), 4U);
}

TEST_F(OwnBackendTest, AGangWhosePodsCannotBeMadeKeepsNoNodes) {
  server.create(k8s::nodes(), node("n1"));
  lead();
  const std::string create_pod = "POST /api/v1/namespaces/default/pods";
  calls.delay_next(create_pod, {});  // the dry run
  const json failure = {{"kind", "Status"},
                        {"code", 500},
                        {"reason", "InternalError"},
                        {"message", "Internal error occurred: failed calling webhook \"team-a.example.com\""}};
  calls.answer_next(create_pod, {.status = 500, .headers = {}, .body = failure.dump()});
  const Answer answer = create(gang("a", 1));
  EXPECT_EQ(calls.unused_faults(), 0U);
  ASSERT_EQ(waits(answer), "BackingOff");
  EXPECT_THAT((***answer).message, HasSubstr("failed calling webhook"));
  EXPECT_EQ(waits(create(gang("b", 1))), "");
  EXPECT_EQ(host("b-1-0"), "n1");
}

TEST_F(OwnBackendTest, NoSecondPlaceIsKeptForAGangOfWhichOnlyTheAnswerWasLost) {
  const auto with_half_a_node = [](json pod) {
    pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = "4";
    return pod;
  };
  json other = with_half_a_node(pod("other", 0));
  other["spec"]["nodeName"] = "n2";
  server.create(k8s::pods(), other);
  server.create(k8s::nodes(), node("n1"));
  server.create(k8s::nodes(), node("n2"));
  lead();
  const std::string create_pod = "POST /api/v1/namespaces/default/pods";
  calls.delay_next(create_pod, {});  // the dry run
  calls.lose_answer(create_pod);
  EXPECT_EQ(waits(create(gang("a", 1))), "BackingOff");
  EXPECT_EQ(host("a-1-0"), "n1");
  clock.advance(seconds(12));
  GangRequest small = gang("b", 1);
  small.pods.front() = with_half_a_node(small.pods.front());
  EXPECT_EQ(waits(create(small)), "");
  EXPECT_EQ(host("b-1-0"), "n2");
}

TEST_F(OwnBackendTest, ASinglePodWaitsForAsLongAsItTakesWhereNodesCannotBeRead) {
  refuse_nodes();
  lead();
  EXPECT_EQ(waits(create(gang("a", 1))), "");
  EXPECT_EQ(host("a-1-0"), "");
  EXPECT_EQ(backend->bind_timeout(1), std::nullopt);
  EXPECT_EQ(backend->bind_timeout(2), seconds(60));
}

TEST_F(OwnBackendTest, IsOutdatedWhenItMayReadWhatWasRefusedAtItsStart) {
  server.create(k8s::nodes(), node("n1"));
  refuse_nodes(2);
  lead();
  EXPECT_EQ(waits(create(gang("a", 1))), "");
  EXPECT_EQ(host("a-1-0"), "") << "it is blind";
  clock.advance(seconds(11));
  EXPECT_FALSE(backend->is_outdated());
  clock.advance(seconds(20));
  EXPECT_TRUE(backend->is_outdated());
  kill();
  lead();
  EXPECT_EQ(waits(create(gang("b", 1))), "");
  EXPECT_EQ(host("b-1-0"), "n1");
  clock.advance(seconds(60));
  EXPECT_FALSE(backend->is_outdated());
}

TEST_F(OwnBackendTest, ASinglePodIsWithdrawnInTimeWhereItWasGivenANode) {
  lead();
  EXPECT_EQ(backend->bind_timeout(1), seconds(60));
}

TEST_F(OwnBackendTest, OnlySoManySinglePodsWaitForAnAutoscalerAtATime) {
  config.scale_up_by_pending_pods = true;
  lead();
  for (int i = 10; i < 30; ++i) create(gang("t" + std::to_string(i), 1));
  EXPECT_EQ(pods(), 16U);
  EXPECT_EQ(host("t10-1-0"), "");
  server.erase(k8s::pods(), {.ns = "default", .name = "t10-1-0"});
  clock.advance(seconds(1));
  EXPECT_EQ(waits(create(gang("t26", 1))), "");
  EXPECT_EQ(waits(create(gang("t27", 1))), "NoNodes");
}

TEST_F(OwnBackendTest, OneDryRunAnswersForAllGangsThatAreAlike) {
  for (const char* name : {"n1", "n2", "n3", "n4"}) server.create(k8s::nodes(), node(name));
  int dry_runs_and_pods = 0;
  server.admit_with(
      [&](const std::string& collection, json&) { dry_runs_and_pods += collection == "v1/pods" ? 1 : 0; });
  lead();
  for (const char* trial : {"a", "b", "c", "d"}) EXPECT_EQ(waits(create(gang(trial, 1))), "");
  EXPECT_EQ(dry_runs_and_pods, 4 + 1);
}

TEST_F(OwnBackendTest, WithoutAnAnswerThePodAsBuiltCounts) {
  server.create(k8s::nodes(), node("n1"));
  calls.answer_next(
      "dryRun=All",
      {.status = 400, .headers = {}, .body = R"({"kind": "Status", "code": 400, "reason": "BadRequest"})"});
  lead();
  EXPECT_EQ(waits(create(gang("a", 1))), "");
  EXPECT_EQ(host("a-1-0"), "n1");
}

TEST_F(OwnBackendTest, TriesAWithdrawnGangLaterAndSaysWhy) {
  server.create(k8s::nodes(), node("n1"));
  lead();
  backend->back_off(owner_of("a"), "the gang was withdrawn");
  const Answer answer = create(gang("a", 1));
  EXPECT_EQ(waits(answer), "BackingOff");
  EXPECT_THAT((***answer).message, HasSubstr("the gang was withdrawn"));
  woken.clear();
  clock.advance(seconds(12));
  EXPECT_THAT(woken, Contains("trial/default/a"));
}

// The wait for the next try was measured only after a pause, in which the time to try again could pass.
TEST_F(OwnBackendTest, TriesAWithdrawnGangLaterAlsoWhereSomethingHappensJustBefore) {
  server.create(k8s::nodes(), node("n1"));
  lead();
  backend->back_off(owner_of("a"), "the gang was withdrawn");
  EXPECT_EQ(waits(create(gang("a", 1))), "BackingOff");
  clock.advance(std::chrono::milliseconds(8'990));
  server.create(k8s::nodes(), node("n2", 0));
  woken.clear();
  clock.advance(seconds(2));
  EXPECT_THAT(woken, Contains("trial/default/a"));
}

}  // namespace
}  // namespace det::op
