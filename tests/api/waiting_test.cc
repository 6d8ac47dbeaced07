// What waits: harness requests for the database, long polls for changes, peers for each other.
#include <gtest/gtest.h>

#include "api/allocations/all_gather.h"
#include "api/harness_guard.h"
#include "api/wakeups.h"
#include "store/channels.h"
#include "tests/support/background.h"
#include "tests/support/fake_clock.h"
#include "tests/support/run_task.h"
#include "tests/support/scripted_client.h"

namespace det::api {
namespace {

// Fails with `code` until `failures` attempts were made.
struct Flaky {
  ErrorCode code;
  int failures;
  int attempts = 0;

  Task<Result<http::Response>> operator()() {
    if (attempts++ < failures) co_return fail(code, "the database is away");
    co_return http::Response::json("{}");
  }
};

struct Guarded {
  test::ScriptedClient scripted;  // its clock and loop
  std::shared_ptr<std::optional<Result<http::Response>>> start(Flaky& flaky) {
    return scripted.start(guard_harness(scripted.clock, Logger("test"), {}, [&flaky] { return flaky(); }));
  }
};

TEST(HarnessGuard, WaitsForTheDatabase) {
  Guarded guarded;
  Flaky flaky{.code = ErrorCode::kUnavailable, .failures = 3};
  const auto answer = guarded.start(flaky);
  EXPECT_FALSE(answer->has_value());
  guarded.scripted.clock.advance(std::chrono::seconds(10));
  ASSERT_TRUE(answer->has_value());
  EXPECT_EQ((*answer)->value().body, "{}");
  EXPECT_EQ(flaky.attempts, 4);
}

TEST(HarnessGuard, DropsTheConnectionAfterThirtySeconds) {
  Guarded guarded;
  Flaky flaky{.code = ErrorCode::kUnavailable, .failures = 1'000'000};
  const auto answer = guarded.start(flaky);
  guarded.scripted.clock.advance(std::chrono::seconds(29));
  EXPECT_FALSE(answer->has_value());
  guarded.scripted.clock.advance(std::chrono::seconds(2));
  ASSERT_TRUE(answer->has_value());
  EXPECT_TRUE((*answer)->value().drop_connection);
}

TEST(HarnessGuard, GivesErrorsOfTheCallerBackAtOnce) {
  Guarded guarded;
  Flaky flaky{.code = ErrorCode::kInvalidArgument, .failures = 1};
  const auto answer = guarded.start(flaky);
  ASSERT_TRUE(answer->has_value());
  EXPECT_EQ((*answer)->error().code, ErrorCode::kInvalidArgument);
}

TEST(HarnessGuard, NeverLetsA500Out) {
  Guarded guarded;
  for (const ErrorCode code : {ErrorCode::kInternal, ErrorCode::kDataLoss, ErrorCode::kDeadlineExceeded}) {
    Flaky flaky{.code = code, .failures = 1};
    const auto answer = guarded.start(flaky);
    ASSERT_TRUE(answer->has_value());
    EXPECT_TRUE((*answer)->value().drop_connection) << to_string(code);
  }
}

Task<bool> wait_for(Wakeups& wakeups, std::string key) {
  Wakeups::Watch watch(wakeups, {std::move(key)});
  co_return co_await watch.wait(watch.version(), std::chrono::hours(1));
}

TEST(Wakeups, WakeWhomItConcerns) {
  test::ScriptedClient scripted;
  Wakeups wakeups(scripted.io.get_executor());
  const auto mine = scripted.start(wait_for(wakeups, Wakeups::allocation_key("1.a.1")));
  const auto other = scripted.start(wait_for(wakeups, Wakeups::allocation_key("1.a.2")));
  const auto logs = scripted.start(wait_for(wakeups, Wakeups::log_key(7)));
  wakeups.on_notify(store::kAllocationChannel, "1.a.1");
  scripted.clock.settle();
  EXPECT_EQ(*mine, true);
  EXPECT_FALSE(other->has_value());
  wakeups.on_notify(store::kLogChannel, "5 7");
  scripted.clock.settle();
  EXPECT_EQ(*logs, true);
  const auto ends = scripted.start(wait_for(wakeups, Wakeups::allocation_key("1.a.3")));
  wakeups.on_notify(store::kAllocationEndChannel, "1.a.3");
  scripted.clock.settle();
  EXPECT_EQ(*ends, true);
  EXPECT_FALSE(other->has_value());
  wakeups.on_notify(store::kAllocationChannel, "");
  scripted.clock.settle();
  EXPECT_EQ(*other, true);
}

TEST(Wakeups, WakeEveryoneAfterAReconnection) {
  test::ScriptedClient scripted;
  Wakeups wakeups(scripted.io.get_executor());
  const auto state = scripted.start(wait_for(wakeups, Wakeups::trial_key(1)));
  wakeups.wake_all();
  scripted.clock.settle();
  EXPECT_EQ(*state, true);
}

TEST(AllGather, GivesEveryPeerTheSameOrder) {
  test::ScriptedClient scripted;
  AllGather gather(scripted.io.get_executor());
  const auto second = scripted.start(gather.join("1.a.1", "b", 2, {{"rank", 1}}));
  EXPECT_FALSE(second->has_value());
  const auto first = scripted.start(gather.join("1.a.1", "a", 2, {{"rank", 0}}));
  ASSERT_TRUE(second->has_value() && first->has_value());
  EXPECT_EQ((*first)->value(), (*second)->value());
  EXPECT_EQ((*first)->value()[0]["rank"], 0);
}

TEST(AllGather, RefusesPeersThatCountDifferently) {
  test::ScriptedClient scripted;
  AllGather gather(scripted.io.get_executor());
  const auto one = scripted.start(gather.join("1.a.1", "a", 2, {}));
  const auto two = scripted.start(gather.join("1.a.1", "b", 3, {}));
  ASSERT_TRUE(two->has_value());
  EXPECT_EQ((*two)->error().code, ErrorCode::kAborted);
  const auto three = scripted.start(gather.join("1.a.1", "c", 2, {}));
  EXPECT_TRUE(one->has_value() && (*one)->has_value());
}

TEST(AllGather, ForgetsAMeetingThatTheLastHasLeft) {
  asio::io_context io;
  AllGather gather(io.get_executor());
  const auto wait = [&gather](std::string peer) -> Task<void> {
    co_await gather.join("1.a.1", std::move(peer), 3, std::string(5 << 20, 'x'));
  };
  {
    test::Background waiting(io);
    waiting.start(wait("a"));
    io.restart();
    io.poll();
    const auto other = test::run_task(io, gather.join("1.a.1", "b", 2, {}));
    EXPECT_EQ(other.error().code, ErrorCode::kAborted) << "somebody waits for three";
  }
  const auto again = test::run_task(io, gather.join("1.a.1", "c", 1, std::string(5 << 20, 'x')));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->size(), 1U);
}

}  // namespace
}  // namespace det::api
