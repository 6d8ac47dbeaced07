#include "base/at_once.h"

#include <gtest/gtest.h>

#include "tests/support/run_task.h"

namespace det {
namespace {

struct AtOnce : testing::Test {
  // Gives way to the others before it ends.
  Task<Status> work(int item) {
    begun.push_back(item);
    most = std::max(most, ++running);
    co_await asio::post(io.get_executor(), asio::use_awaitable);
    --running;
    if (item == failing) co_return fail(ErrorCode::kInternal, "item " + std::to_string(item));
    co_return Status{};
  }
  Status all(std::vector<int> items, std::size_t at_once) {
    auto act = [this](int item) { return work(item); };
    return test::run_task(io, for_each_at_once(std::move(items), at_once, act));
  }

  asio::io_context io;
  std::vector<int> begun;
  int running = 0;
  int most = 0;
  int failing = -1;
};

TEST_F(AtOnce, DoesAllInOrderAndNeverMoreThanAllowed) {
  EXPECT_TRUE(all({1, 2, 3, 4, 5}, 2));
  EXPECT_EQ(begun, (std::vector{1, 2, 3, 4, 5}));
  EXPECT_EQ(most, 2);
  EXPECT_TRUE(all({}, 2));
}

TEST_F(AtOnce, BeginsNothingAfterTheFirstError) {
  failing = 2;
  const Status status = all({1, 2, 3, 4, 5, 6, 7, 8}, 2);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "item 2");
  EXPECT_LT(begun.size(), 5U);
  EXPECT_EQ(running, 0);
}

}  // namespace
}  // namespace det
