#include "k8sclient/informer.h"

#include <gtest/gtest.h>

#include "base/json_get.h"

#include "tests/support/background.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_transport.h"

namespace det::k8s {
namespace {

using nlohmann::json;
using std::chrono::seconds;

struct PodView {
  std::string name;
  std::string node_name;
  std::string phase;
};
PodView view_pod(const json& object) {
  return {.name = get_string(get_any(object, "metadata"), "name"),
          .node_name = get_string(get_any(object, "spec"), "nodeName"),
          .phase = get_string(get_any(object, "status"), "phase")};
}

json pod(const std::string& name, const std::string& node = {}) {
  return {{"metadata", {{"name", name}, {"namespace", "ns"}}}, {"spec", {{"nodeName", node}}}};
}

class InformerTest : public testing::Test {
 protected:
  InformerTest() {
    informer.add_index("node", [](const PodView& p) { return std::vector<std::string>{p.node_name}; });
    informer.add_handler([this](const ObjectKey& key, const PodView* before, const PodView* now) {
      seen.push_back(key.name + (before != nullptr ? " was " + before->phase : " new") +
                     (now != nullptr ? " is " + now->phase : " gone"));
    });
  }
  void run() {
    background.start(informer.run());
    clock.settle();
  }
  void set_phase(const std::string& name, const std::string& phase) {
    server.set_status(pods(), {.ns = "ns", .name = name}, {{"phase", phase}});
    clock.settle();
  }

  asio::io_context io;
  test::FakeClock clock{io};
  test::FakeApiServer server{io.get_executor(), clock};
  test::FaultyTransport watches{server, io.get_executor(), clock};
  Client client{server, watches, server.config(), clock, "det-test"};
  Informer<PodView> informer{client,
                             clock,
                             io.get_executor(),
                             {.resource = pods(), .ns = {}, .label_selector = {}, .field_selector = {}},
                             view_pod};
  std::vector<std::string> seen;
  test::Background background{io};
};

TEST_F(InformerTest, HoldsWhatTheServerHolds) {
  server.create(pods(), pod("a"));
  EXPECT_FALSE(informer.synced());
  run();
  EXPECT_TRUE(informer.synced());
  server.create(pods(), pod("b"));
  set_phase("a", "Running");
  EXPECT_EQ(informer.size(), 2U);
  EXPECT_EQ(informer.find({.ns = "ns", .name = "a"})->phase, "Running");
  server.erase(pods(), {.ns = "ns", .name = "b"});
  clock.settle();
  EXPECT_EQ(informer.find({.ns = "ns", .name = "b"}), nullptr);
  EXPECT_EQ(seen, (std::vector<std::string>{"a new is ", "b new is ", "a was  is Running", "b was  gone"}));
}

TEST_F(InformerTest, KeepsItsIndexesInStep) {
  server.create(pods(), pod("a", "n1"));
  server.create(pods(), pod("b", "n1"));
  server.create(pods(), pod("c"));
  run();
  EXPECT_EQ(informer.by_index("node", "n1").size(), 2U);
  EXPECT_EQ(informer.by_index("node", "").size(), 1U);
  server.erase(pods(), {.ns = "ns", .name = "a"});
  clock.settle();
  ASSERT_EQ(informer.by_index("node", "n1").size(), 1U);
  EXPECT_EQ(informer.by_index("node", "n1")[0].second->name, "b");
  EXPECT_TRUE(informer.by_index("node", "n2").empty());
  EXPECT_TRUE(informer.by_index("no such index", "n1").empty());
}

TEST_F(InformerTest, CarriesOverWhatTheServerNoLongerSays) {
  informer.set_carry_over([](const PodView& before, PodView& now) { now.phase = before.phase + ">" + now.phase; });
  server.create(pods(), pod("a"));
  run();
  set_phase("a", "Pending");
  set_phase("a", "Running");
  EXPECT_EQ(informer.find({.ns = "ns", .name = "a"})->phase, ">Pending>Running");
}

TEST_F(InformerTest, LearnsAfterAnExpiredPositionWhatHappenedMeanwhile) {
  server.create(pods(), pod("stays"));
  server.create(pods(), pod("goes"));
  run();
  watches.answer_next("watch=1", {.status = 503, .headers = {}, .body = "starting"}, 3);
  watches.cut_streams();
  clock.settle();
  server.erase(pods(), {.ns = "ns", .name = "goes"});
  server.create(pods(), pod("comes"));
  server.compact();
  seen.clear();
  clock.advance(seconds(10));
  clock.settle();
  EXPECT_EQ(informer.reflector().relists(), 1U);
  EXPECT_EQ(seen, (std::vector<std::string>{"comes new is ", "stays was  is ", "goes was  gone"}));
  EXPECT_EQ(informer.size(), 2U);
}

TEST_F(InformerTest, MissesNothingWhenAWatchIsCutInsideALine) {
  run();
  watches.cut_streams();
  watches.cut_stream_after("watch=1", 700);
  clock.advance(seconds(1));
  for (int i = 0; i < 20; ++i) server.create(pods(), pod("p" + std::to_string(i)));
  clock.advance(seconds(5));
  clock.settle();
  EXPECT_EQ(informer.size(), 20U);
  EXPECT_EQ(seen.size(), 20U);
  EXPECT_EQ(watches.unused_faults(), 0U);
  EXPECT_EQ(informer.reflector().relists(), 0U);
}

TEST_F(InformerTest, StaysInTouchOverBookmarksAlone) {
  run();
  const std::string other = R"({"metadata":{"name":"x","namespace":"ns"}})";
  for (int i = 0; i < 20; ++i) {
    server.send_bookmarks();
    clock.advance(seconds(60));
  }
  clock.settle();
  EXPECT_EQ(informer.reflector().relists(), 0U);
  EXPECT_EQ(server.open_watches(), 1U);
  // Another collection moved the version on; the bookmark carried it here, so compaction does no harm.
  server.create(config_maps(), json::parse(other));
  server.send_bookmarks();
  clock.settle();
  server.compact();
  watches.cut_streams();
  clock.advance(seconds(1));
  clock.settle();
  EXPECT_EQ(informer.reflector().relists(), 0U);
}

TEST_F(InformerTest, WaitSyncedReturnsWhenTheFirstListIsThere) {
  bool synced = false;
  auto waiter = [&]() -> Task<void> { synced = co_await informer.wait_synced(seconds(30)); };
  background.start(waiter());
  clock.settle();
  EXPECT_FALSE(synced);
  run();
  EXPECT_TRUE(synced);
}

}  // namespace
}  // namespace det::k8s
