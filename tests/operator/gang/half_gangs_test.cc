// Gangs of which the API server takes some pods only, made pod after pod.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/gang/kube_scheduler_backend.h"
#include "pods/names.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/run_task.h"

namespace det::op {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::HasSubstr;

// A gang of four pods under a quota for some of them.
class HalfGangsTest : public testing::Test {
 protected:
  HalfGangsTest() {
    server.refuse_with([this](const std::string&, const json&) -> std::optional<det::test::StoreAnswer> {
      ++asked;
      if (server.all(k8s::pods()).size() < quota) return std::nullopt;
      return det::test::refusal(403, "Forbidden", "pods is forbidden: exceeded quota: gpus");
    });
  }
  static std::string name_of(int rank) { return "a-1-" + std::to_string(rank); }
  static json pod(const std::string& name) {
    return {{"metadata",
             {{"name", name},
              {"namespace", "default"},
              {"labels", {{pods::kLabelTrial, "a"}}},
              {"ownerReferences", {{{"uid", "uid-a"}, {"controller", true}}}}}},
            {"spec", {{"containers", {{{"name", "c"}}}}}}};
  }
  // What is missing of it by a copy that knows the pods below `rank`.
  GangRequest gang_from(int rank) {
    GangRequest gang{
        .owner = workload_of_trial({.ns = "default", .name = "a"}), .owner_uid = "uid-a", .name = "a-1", .size = 4};
    for (; rank < gang.size; ++rank) gang.pods.push_back(pod(name_of(rank)));
    return gang;
  }
  std::optional<GangWait> create(GangRequest gang) {
    auto answer = test::run_task(io, backend.create(std::move(gang)));
    EXPECT_TRUE(answer.has_value()) << answer.error().message;
    return answer ? *answer : std::nullopt;
  }
  std::size_t pods_there() { return server.all(k8s::pods()).size(); }

  asio::io_context io;
  test::FakeClock clock{io};
  test::FakeApiServer server{io.get_executor(), clock};
  k8s::Client client{server, server, server.config(), clock, "det-test"};
  KubeSchedulerBackend backend{client, clock};
  std::size_t quota = 4;
  int asked = 0;
};

TEST_F(HalfGangsTest, GoWithThePodsOfEarlierCallsWhenTheRestIsForbidden) {
  quota = 2;
  for (int rank = 0; rank < 2; ++rank) {
    json running = pod(name_of(rank));
    running["status"] = {{"phase", "Running"}};
    server.create(k8s::pods(), running);
  }
  json others = pod("a-2-0");
  server.create(k8s::pods(), others);
  const auto waits = create(gang_from(2));
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->reason, kPodsNotCreated);
  EXPECT_THAT(waits->message, HasSubstr("exceeded quota: gpus"));
  EXPECT_EQ(waits->retry_in, seconds(10));
  EXPECT_EQ(pods_there(), 1U) << "that of another run";
}

// Its pods' coming and going wakes its owner.
TEST_F(HalfGangsTest, AreNotTriedAgainAtOnce) {
  quota = 2;
  const auto waits = create(gang_from(0));
  ASSERT_TRUE(waits);
  EXPECT_EQ(pods_there(), 0U);
  quota = 4;
  clock.advance(seconds(9));
  const int before = asked;
  const auto still = create(gang_from(0));
  ASSERT_TRUE(still);
  EXPECT_EQ(still->message, waits->message);
  EXPECT_EQ(still->retry_in, seconds(1));
  EXPECT_EQ(asked, before);
  clock.advance(seconds(1));
  EXPECT_FALSE(create(gang_from(0)));
  EXPECT_EQ(pods_there(), 4U);
}

TEST_F(HalfGangsTest, AreNoneWhereThePodIsThereAlready) {
  ASSERT_FALSE(create(gang_from(0)));
  EXPECT_FALSE(create(gang_from(2))) << "the quota that its own pods use forbids them a second time";
  EXPECT_EQ(pods_there(), 4U);
}

TEST_F(HalfGangsTest, OfATaskThatHasBegunStay) {
  quota = 1;
  json running = pod(name_of(0));
  running["metadata"]["labels"] = {{pods::kLabelTask, "a"}};
  running["status"] = {{"phase", "Running"}};
  server.create(k8s::pods(), running);
  GangRequest gang = gang_from(1);
  gang.owner.kind = WorkloadKind::kTask;
  EXPECT_TRUE(create(std::move(gang)));
  EXPECT_EQ(pods_there(), 1U) << "what a task has begun it does not begin again";
}

}  // namespace
}  // namespace det::op
