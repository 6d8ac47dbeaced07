#include "operator/cluster/pool_watch.h"

#include <gtest/gtest.h>

#include "tests/support/background.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_transport.h"

namespace det::op {
namespace {

using nlohmann::json;

const WallTime kNow = *parse_rfc3339("2026-11-21T12:00:00Z");

json object(const char* spec) {
  return {{"metadata", {{"name", "a100"}, {"generation", 3}}}, {"spec", json::parse(spec)}};
}

TEST(PoolWatch, SaysThatAPoolCanBeUsed) {
  const PoolView view = view_pool(object(R"({"maxSlotsPerPod": 4})"));
  EXPECT_EQ(view.pool.name, "a100");
  EXPECT_EQ(view.pool.max_slots_per_pod, 4);
  const json status = pool_status(view, kNow);
  EXPECT_EQ(status["observedGeneration"], 3);
  EXPECT_EQ(status["conditions"][0]["type"], "Accepted");
  EXPECT_EQ(status["conditions"][0]["status"], "True");
}

TEST(PoolWatch, SaysWhatIsWrongWithAPool) {
  const json status = pool_status(view_pool(object(R"({"podPolicy": {"hostPaths": ["data"]}})")), kNow);
  EXPECT_EQ(status["conditions"][0]["status"], "False");
  EXPECT_EQ(status["conditions"][0]["reason"], "InvalidPool");
  EXPECT_NE(status["conditions"][0]["message"].get<std::string>().find("spec.podPolicy.hostPaths"), std::string::npos);
}

TEST(PoolWatch, SaysWhatOfAPoolHasNoEffect) {
  const json status = pool_status(view_pool(object(R"({"taskContainerDefaults": {"nccl_port_range": "x"}})")), kNow);
  EXPECT_EQ(status["conditions"][0]["status"], "True");
  EXPECT_TRUE(status["conditions"][0]["message"].get<std::string>().starts_with(
      "experiments may name this pool\n\"taskContainerDefaults.nccl_port_range\" has no effect in this version: "));
}

TEST(PoolWatch, WritesTheSameStatusOnlyOnce) {
  json seen = object("{}");
  seen["status"] = pool_status(view_pool(seen), kNow);
  EXPECT_EQ(pool_status(view_pool(seen), kNow + std::chrono::hours(1)), seen["status"]);
}

class PoolWatchRuns : public testing::Test {
 protected:
  void start() {
    background.start(watch.run());
    background.start(note_known());
    clock.advance(std::chrono::seconds(1));
  }
  Task<void> note_known() {
    co_await watch.wait_known();
    is_known = true;
  }
  void create(const std::string& name, const char* spec) {
    server.create(resource_pools(), {{"metadata", {{"name", name}}}, {"spec", json::parse(spec)}});
    clock.advance(std::chrono::seconds(1));
  }
  std::string names() {
    std::string all;
    for (const model::ResourcePool& pool : pools) all += (all.empty() ? "" : ",") + pool.name;
    return all;
  }
  json condition(const std::string& name) {
    const json found = server.find(resource_pools(), {.ns = "", .name = name});
    return found.contains("status") ? found["status"]["conditions"][0] : json();
  }

  asio::io_context io;
  test::FakeClock clock{io};
  test::FakeApiServer server{io.get_executor(), clock};
  test::FaultyTransport calls{server, io.get_executor(), clock};
  k8s::Client client{calls, server, server.config(), clock, "det-test"};
  std::vector<model::ResourcePool> pools;
  bool is_leading = true;
  bool is_known = false;
  PoolWatch watch{io.get_executor(), client, clock,
                  [this](std::vector<model::ResourcePool> all) { pools = std::move(all); },
                  [this] { return is_leading; }};
  test::Background background{io};
};

TEST_F(PoolWatchRuns, TellsAllPoolsSortedAndWritesOnEachWhatBecameOfIt) {
  create("b", "{}");
  start();
  EXPECT_TRUE(is_known);
  create("a", R"({"podPolicy": {"hostPaths": ["data"]}})");
  EXPECT_EQ(names(), "a,b");
  EXPECT_EQ(condition("a")["reason"], "InvalidPool");
  EXPECT_EQ(condition("b")["status"], "True");
  server.erase(resource_pools(), {.ns = "", .name = "a"});
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(names(), "b");
}

TEST_F(PoolWatchRuns, OnlyTheLeaderWritesAndOneThatComesToLeadSoonDoes) {
  is_leading = false;
  start();
  create("a", "{}");
  EXPECT_EQ(names(), "a");
  EXPECT_TRUE(condition("a").is_null());
  is_leading = true;
  clock.advance(std::chrono::seconds(6));
  EXPECT_EQ(condition("a")["status"], "True");
}

TEST_F(PoolWatchRuns, AStatusThatCouldNotBeWrittenIsWrittenLater) {
  start();
  calls.answer_next("PATCH /apis/det-operator.dev/v1alpha1/resourcepools/a/status",
                    {.status = 500, .headers = {}, .body = "{}"}, 5);
  create("a", "{}");
  EXPECT_TRUE(condition("a").is_null());
  clock.advance(std::chrono::seconds(60));
  EXPECT_EQ(condition("a")["status"], "True");
}

TEST_F(PoolWatchRuns, WithoutRightsTheConfigurationsPoolsCountUntilThereAreSome) {
  create("a", "{}");
  calls.answer_next(
      "GET /apis/det-operator.dev/v1alpha1/resourcepools",
      {.status = 403, .headers = {}, .body = R"({"kind": "Status", "code": 403, "reason": "Forbidden"})"});
  start();
  EXPECT_TRUE(is_known) << "placing does not wait for what may never come";
  EXPECT_EQ(names(), "");
  clock.advance(std::chrono::minutes(6));
  EXPECT_EQ(names(), "a");
}

}  // namespace
}  // namespace det::op
