#include "k8sclient/work_queue.h"

#include <gtest/gtest.h>

#include "tests/support/background.h"
#include "tests/support/fake_clock.h"

namespace det::k8s {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class WorkQueueTest : public testing::Test {
 protected:
  // Takes one key, without waiting for one.
  std::optional<std::string> take() {
    if (queue.depth() == 0) return std::nullopt;
    std::optional<std::string> key;
    auto task = [&]() -> Task<void> { key = co_await queue.get(); };
    background.start(task());
    clock.settle();
    return key;
  }

  asio::io_context io;
  test::FakeClock clock{io};
  WorkQueue queue{io.get_executor(), clock};
  WorkQueue paced{io.get_executor(), clock, milliseconds(50)};
  test::Background background{io};
};

TEST_F(WorkQueueTest, HoldsAKeyOnceAndKeepsTheOrder) {
  for (const char* key : {"a", "b", "a", "c", "b"}) queue.add(key);
  EXPECT_EQ(queue.depth(), 3U);
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(take(), "c");
}

TEST_F(WorkQueueTest, AKeyAddedWhileWorkedOnRunsAgainAfterwards) {
  queue.add("a");
  EXPECT_EQ(take(), "a");
  queue.add("a");
  queue.add("a");
  EXPECT_EQ(queue.depth(), 0U);
  queue.done("a");
  EXPECT_EQ(queue.depth(), 1U);
  EXPECT_EQ(take(), "a");
  queue.done("a");
  EXPECT_EQ(queue.depth(), 0U);
}

TEST_F(WorkQueueTest, DelaysAreKeptAndTheEarliestWins) {
  background.start(queue.run_timers());
  queue.add_after("a", seconds(5));
  queue.add_after("a", seconds(9));
  queue.add_after("b", seconds(2));
  queue.add_after("a", seconds(3));
  clock.advance(milliseconds(2999));
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(take(), std::nullopt);
  clock.advance(milliseconds(1));
  clock.settle();
  EXPECT_EQ(take(), "a");
  queue.done("a");
  clock.advance(seconds(60));
  EXPECT_EQ(queue.depth(), 0U);
}

TEST_F(WorkQueueTest, WhatComesInThePauseAfterARunComesTogether) {
  background.start(paced.run_timers());
  const auto run_once = [&] {
    auto task = [&]() -> Task<void> { (co_await paced.get()).value(); };
    background.start(task());
    clock.settle();
  };
  paced.add("a");
  EXPECT_EQ(paced.depth(), 1U) << "the first at once";
  run_once();
  paced.add("a");  // while it is worked on
  paced.done("a");
  clock.advance(milliseconds(20));
  paced.add("a");
  paced.add("b");
  EXPECT_EQ(paced.depth(), 1U) << "another key does not wait";
  run_once();
  clock.advance(milliseconds(29));
  EXPECT_EQ(paced.depth(), 0U);
  clock.advance(milliseconds(1));
  clock.settle();
  EXPECT_EQ(paced.depth(), 1U);
  run_once();
  paced.done("a");
  clock.advance(milliseconds(51));
  EXPECT_EQ(paced.depth(), 0U) << "all of it was one";
  paced.add("a");
  EXPECT_EQ(paced.depth(), 1U) << "the pause is over";
}

TEST_F(WorkQueueTest, NoDelayMeansNow) {
  queue.add_after("a", seconds(0));
  EXPECT_EQ(queue.depth(), 1U);
}

TEST_F(WorkQueueTest, BacksOffPerKeyUntilForgotten) {
  background.start(queue.run_timers());
  for (const int wait : {5, 10, 20, 40, 80}) {
    queue.add_rate_limited("a");
    clock.advance(milliseconds(wait - 1));
    EXPECT_EQ(take(), std::nullopt) << wait;
    clock.advance(milliseconds(1));
    clock.settle();
    EXPECT_EQ(take(), "a") << wait;
    queue.done("a");
  }
  EXPECT_EQ(queue.failures("a"), 5);
  queue.forget("a");
  queue.add_rate_limited("a");
  clock.advance(milliseconds(5));
  clock.settle();
  EXPECT_EQ(take(), "a");
}

TEST_F(WorkQueueTest, NeverBacksOffForMoreThanFiveMinutes) {
  background.start(queue.run_timers());
  for (int i = 0; i < 60; ++i) {
    queue.add_rate_limited("a");
    clock.advance(std::chrono::minutes(5));
    clock.settle();
    ASSERT_EQ(take(), "a") << i;
    queue.done("a");
  }
}

TEST_F(WorkQueueTest, ShutDownWakesWhoWaits) {
  bool woken = false;
  auto task = [&]() -> Task<void> {
    const auto key = co_await queue.get();
    EXPECT_FALSE(key);
    woken = true;
  };
  background.start(task());
  clock.settle();
  queue.shut_down();
  clock.settle();
  EXPECT_TRUE(woken);
  queue.add("late");
  EXPECT_EQ(queue.depth(), 0U);
}

}  // namespace
}  // namespace det::k8s
