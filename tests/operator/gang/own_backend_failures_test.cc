// Pods of a gang that cannot be made, or of which that is not known.

#include "tests/operator/gang/own_backend_fixture.h"

namespace det::op {
namespace {

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

// Where the answer was lost and nothing is seen yet, the pod may be there, and kube-scheduler may bind it.
TEST_F(OwnBackendTest, NodesOfAPodInDoubtAreNobodyElses) {
  server.create(k8s::nodes(), node("n1"));
  lead();
  const std::string create_pod = "POST /api/v1/namespaces/default/pods";
  calls.delay_next(create_pod, {});  // the dry run
  calls.lose_request(create_pod);
  EXPECT_EQ(waits(create(gang("a", 1))), "BackingOff");
  EXPECT_EQ(pods(), 0U);
  EXPECT_EQ(waits(create(gang("b", 1))), "GangDoesNotFit");
  clock.advance(seconds(10));
  EXPECT_EQ(waits(create(gang("a", 1))), "");
  EXPECT_EQ(host("a-1-0"), "n1");
}

TEST_F(OwnBackendTest, APodInDoubtThatNobodyAsksForAgainHoldsItsNodeForHalfAMinute) {
  server.create(k8s::nodes(), node("n1"));
  lead();
  const std::string create_pod = "POST /api/v1/namespaces/default/pods";
  backend->back_off(owner_of("a"), "once");
  backend->back_off(owner_of("a"), "twice");
  backend->back_off(owner_of("a"), "three times, so that the next is a long one");
  clock.advance(seconds(45));
  calls.delay_next(create_pod, {});
  calls.lose_request(create_pod);
  EXPECT_EQ(waits(create(gang("a", 1))), "BackingOff");
  EXPECT_EQ(waits(create(gang("b", 1))), "GangDoesNotFit");
  clock.advance(seconds(31));
  EXPECT_EQ(waits(create(gang("b", 1))), "");
  EXPECT_EQ(host("b-1-0"), "n1");
}

// kube-scheduler knows what we do not, such as affinity between pods. A search of which no pod can be bound would hold
// every slot for a minute in turns, and come back to the head of the queue.
TEST_F(OwnBackendTest, JobsWhosePodsNobodyBindsStandBehindOthersForAWhile) {
  server.create(k8s::nodes(), node("n1"));
  lead();
  const auto of_job = [this](const std::string& trial, std::int64_t experiment, seconds after) {
    GangRequest made = gang(trial, 1);
    made.job = {.experiment = model::ExperimentId{experiment}, .submitted = clock.wall_now() + after};
    return made;
  };
  const GangRequest unbound = of_job("a", 7, seconds(0));
  const GangRequest same_job = of_job("b", 7, seconds(0));
  const GangRequest later = of_job("c", 8, seconds(1));
  EXPECT_EQ(waits(create(unbound)), "");
  EXPECT_EQ(waits(create(same_job)), "GangDoesNotFit");
  EXPECT_EQ(waits(create(later)), "GangDoesNotFit");
  backend->back_off(owner_of("a"), "nobody bound it");
  server.erase(k8s::pods(), {.ns = "default", .name = "a-1-0"});
  clock.advance(seconds(1));
  EXPECT_EQ(waits(create(same_job)), "GangDoesNotFit");
  EXPECT_EQ(waits(create(later)), "");
  server.erase(k8s::pods(), {.ns = "default", .name = "c-1-0"});
  clock.advance(QueueOrder::kBehind);
  EXPECT_EQ(waits(create(same_job)), "") << "it is tried all the same";
}

TEST(QueueOrder, PutsAJobBehindAllOthersForAWhile) {
  QueueOrder order;
  const JobInQueue job{.experiment = model::ExperimentId{7}, .submitted = WallTime(seconds(2'000'000'000))};
  const JobInQueue other{.experiment = model::ExperimentId{8}, .submitted = WallTime(seconds(4'000'000'000))};
  const SteadyTime now{seconds(5)};
  const auto place = [&](const std::string& trial, const JobInQueue& of, SteadyTime at) {
    return order.place_of(owner_of(trial), of, 1, at);
  };
  order.note_made(owner_of("a"), job);
  order.note_unbound(owner_of("a"), now);
  EXPECT_GT(place("b", job, now), place("c", other, now));
  EXPECT_LT(place("b", job, now + QueueOrder::kBehind), place("c", other, now + QueueOrder::kBehind));
  EXPECT_TRUE(order.set_places({.experiments = {{model::ExperimentId{8}, 9}}}));
  EXPECT_FALSE(order.set_places({.experiments = {{model::ExperimentId{8}, 9}}}));
  EXPECT_EQ(place("c", other, now), 9);
}

}  // namespace
}  // namespace det::op
