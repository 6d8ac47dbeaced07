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

}  // namespace
}  // namespace det::op
