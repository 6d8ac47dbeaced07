#include "base/run_to_end.h"

#include <stdexcept>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/clock.h"

namespace det {
namespace {

Task<void> serve_for_ever() {
  SystemClock clock;
  for (;;) co_await clock.sleep_for(std::chrono::hours(1));
}

// As a server whose other parts go on.
Task<void> fail_beside_others() {
  asio::co_spawn(co_await asio::this_coro::executor, serve_for_ever(), asio::detached);
  throw std::runtime_error("a part of it threw");
}

TEST(RunToEndDeathTest, AProgramOfWhichAPartHasFailedEnds) {
  asio::io_context io;
  EXPECT_EXIT(run_to_end(io, fail_beside_others(), "the program"), testing::ExitedWithCode(1), "");
}

TEST(RunToEnd, ReturnsWhenTheWorkIsDone) {
  asio::io_context io;
  bool is_done = false;
  const auto work = [&]() -> Task<void> {
    is_done = true;
    co_return;
  };
  run_to_end(io, work(), "the program");
  EXPECT_TRUE(is_done);
}

}  // namespace
}  // namespace det
