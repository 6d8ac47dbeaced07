#include "local/agent/status_reporter.h"

#include <gtest/gtest.h>

#include "tests/local/agent/fake_pod_api.h"
#include "tests/support/background.h"
#include "tests/support/fake_clock.h"
#include "tests/support/run_task.h"

namespace det::local {
namespace {

using nlohmann::json;

struct StatusReporterTest : testing::Test {
  // What is sent when the first answer is this refusal.
  std::size_t sent_after(ErrorCode code, std::string message) {
    api.refusals.push_back({.code = code, .message = std::move(message), .field = {}, .retry_after = {}});
    reporter.set({{"phase", "Succeeded"}});
    det::test::Background reporting(io);
    reporting.start(reporter.run());
    bool is_flushed = false;
    const auto flush = [&]() -> Task<void> {
      co_await reporter.flush();
      is_flushed = true;
    };
    reporting.start(flush());
    det::test::run_until(io, [&] {
      clock.wake_next();
      return is_flushed;
    });
    reporting.stop();
    return api.statuses.size();
  }

  asio::io_context io;
  det::test::FakeClock clock{io};
  test::FakePodApi api{io.get_executor()};
  StatusReporter reporter{api, clock, io.get_executor(), {.ns = "n", .name = "p", .uid = "u"}};
};

// Or the pod would be Running there for ever.
TEST_F(StatusReporterTest, TriesAgainAfterAConflict) {
  EXPECT_EQ(sent_after(ErrorCode::kAborted, "the object has been modified; please apply your changes"), 1U);
}

TEST_F(StatusReporterTest, EndsWhereThePodHasGone) {
  EXPECT_EQ(sent_after(ErrorCode::kAborted, "Precondition failed: UID in precondition: u, UID in object meta: v"), 0U);
}

TEST_F(StatusReporterTest, EndsWhereNoPodHasTheName) {
  EXPECT_EQ(sent_after(ErrorCode::kNotFound, "pods \"p\" not found"), 0U);
}

}  // namespace
}  // namespace det::local
