#include "tests/operator/gang/own_backend_fixture.h"

namespace det::op {
namespace {

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

// As where the node's port is taken: kube-scheduler knows, and this scheduler does not.
TEST_F(OwnBackendTest, GivesAGangOtherNodesThanThoseThatRefusedIt) {
  server.create(k8s::nodes(), node("n1"));
  server.create(k8s::nodes(), node("n2"));
  lead();
  EXPECT_EQ(waits(create(gang("a", 1))), "");
  EXPECT_EQ(host("a-1-0"), "n1");
  const auto withdrawn = [&] {
    backend->back_off(owner_of("a"), "the gang was withdrawn");
    server.erase(k8s::pods(), {.ns = "default", .name = "a-1-0"});
    clock.advance(seconds(400));
  };
  withdrawn();
  EXPECT_EQ(waits(create(gang("a", 1))), "");
  EXPECT_EQ(host("a-1-0"), "n2");
  withdrawn();
  server.create(k8s::nodes(), node("n0", 4));
  EXPECT_EQ(waits(create(gang("a", 1))), "") << "rather than nowhere";
  EXPECT_EQ(host("a-1-0"), "n1");
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
