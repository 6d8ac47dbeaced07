#include "cli/foreground.h"

#include <signal.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

Result<int> run(std::vector<std::string> argv) {
  asio::io_context io;
  return test::run_task(io, run_in_foreground(std::move(argv)));
}

TEST(Foreground, ReturnsTheExitCode) {
  EXPECT_EQ(run({"sh", "-c", "exit 7"}).value(), 7);
  EXPECT_EQ(run({"true"}).value(), 0);
  EXPECT_EQ(run({"sh", "-c", "kill -9 $$"}).value(), 128 + SIGKILL);
}

TEST(Foreground, KnowsThatThereIsNoSuchProgram) {
  const auto none = run({"no-such-program-here"});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
}

TEST(Foreground, EndsWithTheOneWhoWaits) {
  asio::io_context io;
  TempFolder folder;
  const std::string file = (folder.path() / "pid").string();
  asio::cancellation_signal stop;
  bool has_ended = false;
  asio::co_spawn(
      io,
      run_in_foreground({"sh", "-c", "echo $$ > " + file + ".new; mv " + file + ".new " + file + "; exec sleep 600"}),
      asio::bind_cancellation_slot(stop.slot(),
                                   [&has_ended](const std::exception_ptr&, const Result<int>&) { has_ended = true; }));
  test::run_until(io, [&] { return std::filesystem::exists(file); });
  const pid_t pid = std::stoi(folder.read("pid"));
  stop.emit(asio::cancellation_type::terminal);
  test::run_until(io, [&] { return has_ended; });
  EXPECT_NE(::kill(pid, 0), 0) << "and was waited for";
}

}  // namespace
}  // namespace det::cli
