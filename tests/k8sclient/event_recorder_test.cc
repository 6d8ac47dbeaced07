#include "k8sclient/event_recorder.h"

#include <gtest/gtest.h>

#include "tests/support/background.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_transport.h"

namespace det::k8s {
namespace {

using nlohmann::json;
using std::chrono::seconds;

class EventRecorderTest : public testing::Test {
 protected:
  void run() {
    background.start(recorder.run());
    clock.settle();
  }
  void publish(const std::string& message = "pods were created") {
    recorder.publish(trial, EventType::kNormal, "PodsCreated", message);
  }
  [[nodiscard]] std::vector<json> events() const { return server.all(core_events(), "ns"); }

  asio::io_context io;
  test::FakeClock clock{io};
  test::FakeApiServer server{io.get_executor(), clock};
  test::FaultyTransport calls{server, io.get_executor(), clock};
  Client client{calls, server, server.config(), clock, "det-test"};
  EventRecorder recorder{client, clock, io.get_executor(), "det-operator"};
  test::Background background{io};
  const EventSubject trial{.resource = trials(), .key = {.ns = "ns", .name = "t"}, .uid = "uid-1"};
};

TEST_F(EventRecorderTest, WritesAnEventThatDescribeFinds) {
  run();
  publish();
  clock.settle();
  ASSERT_EQ(events().size(), 1U);
  const json event = events()[0];
  const json subject = {{"apiVersion", "det-operator.dev/v1alpha1"},
                        {"kind", "Trial"},
                        {"name", "t"},
                        {"namespace", "ns"},
                        {"uid", "uid-1"}};
  EXPECT_EQ(event["involvedObject"], subject);
  EXPECT_EQ(event["type"], "Normal");
  EXPECT_EQ(event["reason"], "PodsCreated");
  EXPECT_EQ(event["message"], "pods were created");
  EXPECT_EQ(event["count"], 1);
  EXPECT_EQ(event["source"]["component"], "det-operator");
  EXPECT_EQ(event["firstTimestamp"], "2026-11-21T02:00:00Z");
}

TEST_F(EventRecorderTest, RaisesTheCountOfARepeatedEvent) {
  run();
  publish();
  clock.advance(seconds(10));
  publish();
  publish();
  clock.advance(seconds(1));
  ASSERT_EQ(events().size(), 1U);
  EXPECT_EQ(events()[0]["count"], 3);
  EXPECT_EQ(events()[0]["firstTimestamp"], "2026-11-21T02:00:00Z");
  EXPECT_EQ(events()[0]["lastTimestamp"], "2026-11-21T02:00:10Z");
}

TEST_F(EventRecorderTest, GathersRepeatsThatWaitIntoOneRequest) {
  for (int i = 0; i < 100; ++i) publish();
  EXPECT_EQ(recorder.waiting(), 1U);
  run();
  ASSERT_EQ(events().size(), 1U);
  EXPECT_EQ(events()[0]["count"], 100);
}

TEST_F(EventRecorderTest, KeepsDifferentEventsApart) {
  run();
  publish("one");
  publish("two");
  recorder.publish(trial, EventType::kWarning, "PodsCreated", "one");
  clock.settle();
  EXPECT_EQ(events().size(), 3U);
}

TEST_F(EventRecorderTest, WritesAnewWhatTheServerHasForgotten) {
  run();
  publish();
  clock.settle();
  const json first = events()[0];
  server.erase(core_events(), {.ns = "ns", .name = first["metadata"]["name"].get<std::string>()});
  clock.advance(seconds(5));
  publish();
  clock.settle();
  ASSERT_EQ(events().size(), 1U);
  EXPECT_EQ(events()[0]["count"], 2);
}

TEST_F(EventRecorderTest, PutsEventsOfClusterScopedObjectsIntoDefault) {
  run();
  recorder.publish({.resource = nodes(), .key = {.ns = {}, .name = "n"}, .uid = "u"}, EventType::kWarning, "Odd", "m");
  clock.settle();
  ASSERT_EQ(server.all(core_events(), "default").size(), 1U);
  EXPECT_FALSE(server.all(core_events(), "default")[0]["involvedObject"].contains("namespace"));
}

TEST_F(EventRecorderTest, CutsAMessageThatIsTooLongBetweenCharacters) {
  run();
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "ü";
  publish(text);
  clock.settle();
  ASSERT_EQ(events().size(), 1U);
  const auto message = events()[0]["message"].get<std::string>();
  EXPECT_LE(message.size(), 1024U);
  EXPECT_TRUE(message.ends_with("ü..."));
}

TEST_F(EventRecorderTest, CutsANameThatIsTooLongBehindALetter) {
  run();
  EventSubject one = trial;
  one.key.name = std::string(198, 'a') + "-." + std::string(40, 'b');
  recorder.publish(one, EventType::kNormal, "PodsCreated", "x");
  clock.settle();
  ASSERT_EQ(events().size(), 1U);
  EXPECT_TRUE(events()[0]["metadata"]["name"].get<std::string>().starts_with(std::string(198, 'a') + "."));
}

TEST_F(EventRecorderTest, DropsWhatDoesNotFitInsteadOfWaiting) {
  for (int i = 0; i < 1005; ++i) publish(std::to_string(i));
  EXPECT_EQ(recorder.waiting(), 1000U);
  EXPECT_EQ(recorder.dropped(), 5U);
}

TEST_F(EventRecorderTest, GoesOnAfterAnEventThatWasRefused) {
  run();
  calls.answer_next("POST", {.status = 403, .headers = {}, .body = R"({"reason":"Forbidden","message":"no"})"});
  publish("refused");
  publish("accepted");
  clock.settle();
  ASSERT_EQ(events().size(), 1U);
  EXPECT_EQ(events()[0]["message"], "accepted");
}

}  // namespace
}  // namespace det::k8s
