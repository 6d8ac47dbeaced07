#include "cli/foreground.h"

#include <csignal>
#include <cstring>

#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace det::cli {
namespace {

// A child that does not outlive the one who waits for it.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    reap();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_;
};

Result<pid_t> start(const std::vector<std::string>& argv) {
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  // What this process ignores (SIGPIPE) is not the program's business.
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> arguments;
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, argv.front().c_str(), nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed == ENOENT) return fail(ErrorCode::kNotFound, "there is no program '" + argv.front() + "' on PATH");
  if (failed != 0) return fail(ErrorCode::kInternal, "cannot start " + argv.front() + ": " + std::strerror(failed));
  return pid;
}

}  // namespace

Task<Result<int>> run_in_foreground(std::vector<std::string> argv) {
  const auto pid = start(argv);
  DET_CO_TRY(pid);
  Child child(*pid);
  // By number: the C library here has no name for it yet.
  const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0));
  if (handle >= 0) {
    asio::posix::stream_descriptor ended(co_await asio::this_coro::executor, handle);
    const auto [error] =
        co_await ended.async_wait(asio::posix::stream_descriptor::wait_read, asio::as_tuple(asio::use_awaitable));
    if (error) co_return fail(ErrorCode::kCanceled, argv.front() + " was ended");
  }
  const int status = child.reap();
  if (WIFSIGNALED(status)) co_return 128 + WTERMSIG(status);
  co_return WEXITSTATUS(status);
}

}  // namespace det::cli
