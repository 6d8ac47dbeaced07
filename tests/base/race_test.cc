#include "base/race.h"

#include <gtest/gtest.h>

#include "tests/support/background.h"
#include "tests/support/fake_clock.h"

namespace det {
namespace {

using test::Background;
using test::FakeClock;

class RaceTest : public testing::Test {
 protected:
  // Notes when it ends and how: by itself or unwound.
  Task<void> sleeper(std::chrono::seconds duration, std::string name) {
    struct Unwound {
      std::vector<std::string>& log;
      std::string name;
      ~Unwound() { log.push_back(name + " gone"); }
    };
    const Unwound unwound{log, name};
    co_await clock.sleep_for(duration);
    log.push_back(name + " woke");
  }
  Task<void> note(std::string text) {
    log.push_back(text);
    co_return;
  }

  asio::io_context io;
  FakeClock clock{io};
  std::vector<std::string> log;
  Background background{io};
};

TEST_F(RaceTest, FirstOfReturnsOnlyWhenTheLoserHasUnwound) {
  auto race = [this]() -> Task<void> {
    auto one = sleeper(std::chrono::seconds(5), "slow");
    auto two = sleeper(std::chrono::seconds(1), "fast");
    const auto winner = co_await first_of(std::move(one), std::move(two));
    log.push_back("winner " + std::to_string(winner));
  };
  background.start(race());
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(log, (std::vector<std::string>{"fast woke", "fast gone", "slow gone", "winner 1"}));
}

TEST_F(RaceTest, CancellingFirstOfCancelsBoth) {
  auto race = [this]() -> Task<void> {
    auto one = sleeper(std::chrono::seconds(5), "a");
    auto two = sleeper(std::chrono::seconds(5), "b");
    co_await first_of(std::move(one), std::move(two));
    log.push_back("went on");
  };
  background.start(race());
  clock.settle();
  background.stop();
  EXPECT_EQ(log, (std::vector<std::string>{"a gone", "b gone"}));
}

TEST_F(RaceTest, AllOfWaitsForEveryTask) {
  auto race = [this]() -> Task<void> {
    std::vector<Task<void>> tasks;
    tasks.push_back(sleeper(std::chrono::seconds(2), "a"));
    tasks.push_back(sleeper(std::chrono::seconds(1), "b"));
    co_await all_of(std::move(tasks));
    log.push_back("all");
  };
  background.start(race());
  clock.advance(std::chrono::seconds(2));
  EXPECT_EQ(log, (std::vector<std::string>{"b woke", "b gone", "a woke", "a gone", "all"}));
}

TEST_F(RaceTest, CancellingAllOfUnwindsEveryTask) {
  auto race = [this]() -> Task<void> {
    std::vector<Task<void>> tasks;
    for (int i = 0; i < 3; ++i) tasks.push_back(sleeper(std::chrono::seconds(9), std::to_string(i)));
    co_await all_of(std::move(tasks));
  };
  background.start(race());
  clock.settle();
  background.stop();
  EXPECT_EQ(log.size(), 3U);
  EXPECT_EQ(clock.sleepers(), 0U);
}

TEST_F(RaceTest, WithDeadlineGivesTheResultWhenItIsInTime) {
  auto work = [this]() -> Task<Result<int>> {
    co_await clock.sleep_for(std::chrono::seconds(1));
    co_return 7;
  };
  std::optional<Result<int>> result;
  auto race = [&]() -> Task<void> {
    auto task = work();
    result = co_await with_deadline(clock, std::chrono::seconds(2), std::move(task));
  };
  background.start(race());
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(result, Result<int>(7));
}

TEST_F(RaceTest, WithDeadlineCancelsWorkThatIsLate) {
  auto work = [this]() -> Task<Result<int>> {
    co_await sleeper(std::chrono::seconds(60), "work");
    co_return 7;
  };
  std::optional<Result<int>> result;
  auto race = [&]() -> Task<void> {
    auto task = work();
    result = co_await with_deadline(clock, std::chrono::seconds(2), std::move(task));
  };
  background.start(race());
  clock.advance(std::chrono::seconds(2));
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(log, (std::vector<std::string>{"work gone"}));
}

TEST_F(RaceTest, OutcomeOfLetsTheCallerCleanUpAfterCancellation) {
  auto owner = [this]() -> Task<void> {
    auto work = sleeper(std::chrono::seconds(60), "work");
    const std::exception_ptr ended = co_await outcome_of(std::move(work));
    co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
    co_await note("cleaned up");
    if (ended) std::rethrow_exception(ended);
    log.push_back("not cancelled");
  };
  background.start(owner());
  clock.settle();
  background.stop();
  EXPECT_EQ(log, (std::vector<std::string>{"work gone", "cleaned up"}));
}

TEST_F(RaceTest, WaitOnClockSeesTheSignalOrTheDeadline) {
  Signal signal(io.get_executor());
  std::vector<bool> seen;
  auto waiter = [&]() -> Task<void> {
    seen.push_back(co_await wait_on_clock(signal, signal.version(), clock, std::chrono::seconds(1)));
    seen.push_back(co_await wait_on_clock(signal, signal.version(), clock, std::chrono::seconds(1)));
  };
  background.start(waiter());
  clock.advance(std::chrono::seconds(1));
  clock.settle();
  signal.notify_all();
  clock.settle();
  EXPECT_EQ(seen, (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace det
