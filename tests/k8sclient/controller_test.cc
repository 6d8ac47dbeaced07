#include "k8sclient/controller.h"

#include <map>

#include <gtest/gtest.h>

#include "tests/support/background.h"
#include "tests/support/fake_clock.h"

namespace det::k8s {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ControllerTest : public testing::Test {
 protected:
  // Takes `busy` of the clock's time and then gives what `outcomes` says for the key; Done when it says nothing.
  Task<Result<Outcome>> reconcile(std::string key) {
    runs.push_back(key);
    const int now = ++running[key];
    most_at_once_per_key = std::max(most_at_once_per_key, now);
    int all = 0;
    for (const auto& [name, count] : running) all += count;
    most_at_once = std::max(most_at_once, all);
    co_await clock.sleep_for(busy);
    --running[key];
    const auto planned = outcomes.find(key);
    if (planned == outcomes.end()) co_return Outcome(Done{});
    co_return planned->second;
  }
  void start(int workers = 2) {
    controller.emplace(
        "test", io.get_executor(), clock, [this](std::string key, Logger) { return reconcile(std::move(key)); },
        workers);
    background.emplace(io);
    background->start(controller->run());
    clock.settle();
  }

  asio::io_context io;
  test::FakeClock clock{io};
  std::optional<Controller> controller;
  std::optional<test::Background> background;
  std::vector<std::string> runs;
  std::map<std::string, int> running;
  std::map<std::string, Result<Outcome>> outcomes;
  milliseconds busy{0};
  int most_at_once = 0;
  int most_at_once_per_key = 0;
};

TEST_F(ControllerTest, RunsEachKeyOnceForManyAdditions) {
  start();
  for (int i = 0; i < 5; ++i) controller->queue().add("a");
  clock.settle();
  EXPECT_EQ(runs, (std::vector<std::string>{"a"}));
  EXPECT_EQ(controller->stats().done, 1U);
}

TEST_F(ControllerTest, NeverRunsOneKeyTwiceAtATimeButManyKeysTogether) {
  busy = milliseconds(10);
  start(3);
  for (int i = 0; i < 50; ++i) {
    for (const char* key : {"a", "b", "c"}) controller->queue().add(key);
    clock.advance(milliseconds(3));
  }
  clock.advance(seconds(1));
  EXPECT_EQ(most_at_once_per_key, 1);
  EXPECT_EQ(most_at_once, 3);
  EXPECT_GT(runs.size(), 30U);
}

TEST_F(ControllerTest, RunsAgainWhenTheKeyChangedMeanwhile) {
  busy = milliseconds(10);
  start();
  controller->queue().add("a");
  clock.settle();
  controller->queue().add("a");
  clock.advance(milliseconds(20));
  clock.settle();
  EXPECT_EQ(runs.size(), 2U);
}

TEST_F(ControllerTest, AnErrorIsRetriedWithBackoff) {
  outcomes.emplace("a", fail(ErrorCode::kUnavailable, "away"));
  start();
  controller->queue().add("a");
  clock.advance(milliseconds(5 + 10 + 20));
  clock.settle();
  EXPECT_EQ(runs.size(), 4U);
  EXPECT_EQ(controller->stats().failed, 4U);
  outcomes.clear();
  clock.advance(milliseconds(40));
  clock.settle();
  EXPECT_EQ(controller->stats().done, 1U);
  EXPECT_EQ(controller->queue().failures("a"), 0);
}

TEST_F(ControllerTest, AnErrorThatSaysWhenIsRetriedThen) {
  outcomes.emplace(
      "a", std::unexpected(Error{
               .code = ErrorCode::kResourceExhausted, .message = "busy", .field = {}, .retry_after = seconds(3)}));
  start();
  controller->queue().add("a");
  clock.advance(milliseconds(2999));
  EXPECT_EQ(runs.size(), 1U);
  clock.advance(milliseconds(1));
  clock.settle();
  EXPECT_EQ(runs.size(), 2U);
}

TEST_F(ControllerTest, CheckAgainRunsTheKeyLater) {
  outcomes.emplace("a", Outcome(CheckAgain{seconds(30)}));
  start();
  controller->queue().add("a");
  clock.advance(seconds(61));
  EXPECT_EQ(runs.size(), 3U);
  EXPECT_EQ(controller->stats().check_again, 3U);
}

TEST_F(ControllerTest, AwaitChangeWaitsForTheNextAddition) {
  outcomes.emplace("a", Outcome(AwaitChange{}));
  start();
  controller->queue().add("a");
  clock.advance(std::chrono::hours(1));
  EXPECT_EQ(runs.size(), 1U);
  controller->queue().add("a");
  clock.settle();
  EXPECT_EQ(runs.size(), 2U);
  EXPECT_EQ(controller->stats().await_change, 2U);
}

TEST_F(ControllerTest, HasNothingUnderWayAfterCancellation) {
  busy = seconds(10);
  start();
  controller->queue().add("a");
  controller->queue().add("b");
  clock.settle();
  EXPECT_EQ(clock.sleepers(), 2U);
  background->stop();
  EXPECT_EQ(clock.sleepers(), 0U);
  EXPECT_EQ(controller->stats().done, 0U);
}

TEST_F(ControllerTest, CanRunAgainAndTakesUpTheKeyThatWasCancelled) {
  busy = seconds(10);
  start();
  controller->queue().add("a");
  clock.settle();
  background->stop();
  busy = milliseconds(0);
  background->start(controller->run());
  controller->queue().add("a");
  clock.settle();
  EXPECT_EQ(controller->stats().done, 1U);
}

}  // namespace
}  // namespace det::k8s
