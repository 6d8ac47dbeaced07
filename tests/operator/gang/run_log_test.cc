#include "operator/gang/run_log.h"

#include <gmock/gmock.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "tests/support/fake_clock.h"

namespace det::op {
namespace {

using testing::ElementsAre;

// A log that can be out of room.
struct Sink final : store::LogSink {
  Task<Status> write(std::string task_id, std::vector<store::LogLine> some, std::chrono::nanoseconds) override {
    if (is_full) co_return fail(ErrorCode::kUnavailable, "no space left on device");
    for (const store::LogLine& line : some) lines.push_back(task_id + " " + line.allocation_id + " " + line.text);
    co_return Status();
  }
  std::vector<std::string> lines;
  bool is_full = false;
};

// A run whose end cannot be stored yet is ended again and again.
TEST(EndLines, AreWrittenOnceAndAgainOnlyWhereTheyDidNotArrive) {
  asio::io_context io;
  test::FakeClock clock(io);
  Sink sink;
  EndLines ends;
  const auto write = [&](const char* allocation, const char* line) {
    asio::co_spawn(io, ends.write(sink, clock, "t", allocation, line), asio::detached);
    io.restart();
    io.run();
  };
  sink.is_full = true;
  write("t.1", "killed");
  sink.is_full = false;
  for (int i = 0; i < 3; ++i) write("t.1", "killed");
  write("t.2", "killed");
  write("t.1", "killed by an admin");
  EXPECT_THAT(sink.lines, ElementsAre("t t.1 killed\n", "t t.2 killed\n", "t t.1 killed by an admin\n"));
}

}  // namespace
}  // namespace det::op
