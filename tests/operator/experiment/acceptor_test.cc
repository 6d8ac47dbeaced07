#include "operator/experiment/acceptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/operator_services.h"

namespace det::op {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct AcceptorTest : OperatorServicesTest {
  std::variant<store::ExperimentRow, Refusal> accept_under_quota(const std::string& amounts) {
    const json refusal = {{"kind", "Status"},
                          {"status", "Failure"},
                          {"reason", "Forbidden"},
                          {"code", 403},
                          {"message", "pods \"x\" is forbidden: exceeded quota: gpus, " + amounts}};
    calls.answer_next("POST /api/v1/namespaces/team/pods",
                      {.status = 403, .headers = {{"content-type", "application/json"}}, .body = refusal.dump()});
    ObservedExperiment object;
    object.key = {.ns = "team", .name = "one"};
    object.uid = "uid-1";
    object.config = {{"name", "one"},
                     {"entrypoint", "python3 train.py"},
                     {"searcher", {{"name", "single"}, {"metric", "loss"}}},
                     {"checkpoint_storage", {{"type", "s3"}, {"bucket", "b"}}}};
    return must(acceptor.accept(std::move(object)));
  }

  Acceptor acceptor{operator_services, "determined"};
};

// Those that REST makes are accepted, too, and wait in the queue.
TEST_F(AcceptorTest, TakesWhatHasToWaitForAQuota) {
  const auto answer = accept_under_quota(
      "requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=8");
  ASSERT_TRUE(std::holds_alternative<store::ExperimentRow>(answer)) << std::get<Refusal>(answer).message;
  EXPECT_EQ(std::get<store::ExperimentRow>(answer).uid, "uid-1");
}

TEST_F(AcceptorTest, RefusesWhatAQuotaCouldNeverTake) {
  const auto answer = accept_under_quota(
      "requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=0, limited: requests.nvidia.com/gpu=0");
  ASSERT_TRUE(std::holds_alternative<Refusal>(answer));
  EXPECT_EQ(std::get<Refusal>(answer).reason, "PodRejected");
  EXPECT_TRUE(std::get<Refusal>(answer).may_pass);
  EXPECT_THAT(std::get<Refusal>(answer).message, HasSubstr("exceeded quota: gpus"));
}

}  // namespace
}  // namespace det::op
