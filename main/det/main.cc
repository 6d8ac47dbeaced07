// det: makes the real world (network, terminal, environment) and runs one command in it. Ctrl-C ends the command, not
// what it watches.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <unistd.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/clock.h"
#include "base/curl_transport.h"
#include "base/log.h"
#include "cli/ask.h"
#include "cli/foreground.h"
#include "cli/peer_certificate.h"
#include "cli/process.h"
#include "cli/program.h"
#include "cli/terminal_guard.h"

namespace det::main {
namespace {

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

// As nohup has it.
bool is_ignored(int number) {
  struct sigaction action{};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

int run(std::vector<std::string> arguments) {
  std::error_code ignored;
  asio::io_context io(1);
  CurlTransport http(io.get_executor());
  SystemClock clock;
  const bool out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  const bool err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  cli::TerminalGuard out_guard(*std::cout.rdbuf());
  cli::TerminalGuard err_guard(*std::cerr.rdbuf());
  std::ostream guarded_out(&out_guard);
  std::ostream guarded_err(&err_guard);
  guarded_err << std::unitbuf;
  cli::World world{.http = http,
                   .clock = clock,
                   .out = out_is_terminal ? guarded_out : std::cout,
                   .err = err_is_terminal ? guarded_err : std::cerr,
                   .out_is_terminal = out_is_terminal,
                   .err_is_terminal = err_is_terminal,
                   .in_is_terminal = ::isatty(STDIN_FILENO) == 1,
                   .variable = variable,
                   .ask = cli::ask,
                   .run_program = cli::run_in_foreground,
                   .start_program = cli::start_program,
                   .fetch_certificates = cli::fetch_certificates,
                   .home = variable("HOME").value_or("/"),
                   .program = std::filesystem::read_symlink("/proc/self/exe", ignored),
                   .is_root = ::geteuid() == 0,
                   .on_interrupt = {}};
  cli::Program program;
  asio::cancellation_signal stop;
  // The other two leave no key behind in a file either.
  asio::signal_set signals(io, SIGINT);
  for (const int number : {SIGTERM, SIGHUP}) {
    if (!is_ignored(number)) signals.add(number);
  }
  int interrupted_by = 0;
  signals.async_wait([&](const boost::system::error_code& error, int number) {
    if (error) return;
    interrupted_by = number;
    stop.emit(asio::cancellation_type::terminal);
  });
  int code = cli::kFailed;
  asio::steady_timer farewell(io);
  const auto done = [&](const std::exception_ptr& thrown, int result) {
    // A signal that ended a read at a prompt is told a moment after it.
    farewell.expires_after(std::chrono::milliseconds(!thrown && result == cli::kDone ? 0 : 20));
    // Not only the signals are left: the connections of a tunnel that was ended would go on by themselves.
    farewell.async_wait([&](const boost::system::error_code&) { io.stop(); });
    if (!thrown) code = result;
    if (!thrown || interrupted_by != 0) return;
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
      std::cerr << "det: internal error: " << error.what() << "\n";
    }
  };
  auto task = program.run(world, std::move(arguments));
  asio::co_spawn(io, std::move(task), asio::bind_cancellation_slot(stop.slot(), done));
  io.run();
  if (interrupted_by == 0) return code;
  std::cout << std::flush;
  if (interrupted_by != SIGINT) return 128 + interrupted_by;
  std::cerr << "\nInterrupting...";
  if (!world.on_interrupt.empty()) std::cerr << " " << world.on_interrupt;
  std::cerr << "\n";
  return cli::kInterrupted;
}

}  // namespace
}  // namespace det::main

int main(int argc, char** argv) {
  // A reader that left (det e logs | head) is noticed when writing; OpenSSL would let a lost connection end the
  // program.
  std::signal(SIGPIPE, SIG_IGN);
  det::configure_logging(det::LogLevel::kError);
  return det::main::run(std::vector<std::string>(argv + 1, argv + argc));
}
