#include "base/async.h"

#include <thread>

#include <gtest/gtest.h>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "base/clock.h"
#include "base/result.h"

namespace det {
namespace {

TEST(Signal, WakesEveryWaiterOnce) {
  asio::io_context io;
  Signal signal(io.get_executor());
  int woken = 0;
  auto waiter = [&]() -> Task<void> {
    const auto seen = signal.version();
    if (co_await signal.wait(seen, std::chrono::seconds(30))) ++woken;
  };
  for (int i = 0; i < 3; ++i) asio::co_spawn(io, waiter(), asio::detached);
  asio::post(io, [&] { signal.notify_all(); });
  io.run();
  EXPECT_EQ(woken, 3);
}

TEST(Signal, SaysSoWhenNobodyCame) {
  asio::io_context io;
  Signal signal(io.get_executor());
  bool woken = true;
  auto waiter = [&]() -> Task<void> { woken = co_await signal.wait(signal.version(), std::chrono::milliseconds(1)); };
  asio::co_spawn(io, waiter(), asio::detached);
  io.run();
  EXPECT_FALSE(woken);
}

TEST(Signal, ForgetsAWaiterThatWasCancelled) {
  asio::io_context io;
  TaskGroup group(io.get_executor());
  int woken = 0;
  {
    Signal signal(io.get_executor());
    auto waiter = [&]() -> Task<void> {
      if (co_await signal.wait(signal.version(), std::chrono::hours(1))) ++woken;
    };
    group.spawn("waiter", waiter());
    auto closer = [&]() -> Task<void> {
      group.cancel();
      co_await group.join();
      signal.notify_all();
    };
    asio::co_spawn(io, closer(), asio::detached);
    io.run();
  }
  EXPECT_EQ(woken, 0);
  EXPECT_EQ(group.size(), 0U);
}

TEST(RunOn, ResumesOnTheIoThreadWithTheValue) {
  asio::io_context io;
  asio::thread_pool pool(1);
  const auto io_thread = std::this_thread::get_id();
  std::thread::id worked_on;
  std::thread::id resumed_on;
  int value = 0;
  auto work = [&]() -> Task<void> {
    auto body = [&]() -> Result<int> {
      worked_on = std::this_thread::get_id();
      return 42;
    };
    const auto result = co_await run_on(pool, body);
    resumed_on = std::this_thread::get_id();
    value = result.value_or(0);
  };
  const auto guard = asio::make_work_guard(io);
  asio::co_spawn(io, work(), [&](std::exception_ptr) { io.stop(); });
  io.run();
  pool.join();
  EXPECT_EQ(value, 42);
  EXPECT_NE(worked_on, io_thread);
  EXPECT_EQ(resumed_on, io_thread);
}

TEST(TaskGroup, CancelUnwindsMembersAndJoinWaitsForThem) {
  asio::io_context io;
  TaskGroup group(io.get_executor());
  SystemClock clock;
  bool cleaned = false;
  bool joined = false;
  auto member = [&]() -> Task<void> {
    struct Cleanup {
      bool& flag;
      ~Cleanup() { flag = true; }
    } cleanup{cleaned};
    for (;;) co_await clock.sleep_for(std::chrono::hours(1));
  };
  group.spawn("sleeper", member());
  auto closer = [&]() -> Task<void> {
    group.cancel();
    co_await group.join();
    joined = true;
  };
  asio::co_spawn(io, closer(), asio::detached);
  io.run();
  EXPECT_TRUE(cleaned);
  EXPECT_TRUE(joined);
}

}  // namespace
}  // namespace det
