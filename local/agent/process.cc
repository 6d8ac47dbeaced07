#include "local/agent/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

namespace det::local {
namespace {

using nlohmann::json;

// Closes what it holds.
class OwnedFd {
 public:
  explicit OwnedFd(int fd) : fd_(fd) {}
  ~OwnedFd() {
    if (fd_ >= 0) ::close(fd_);
  }
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::unexpected<Error> failed(const std::string& what, int number) {
  return fail(ErrorCode::kInternal, "start a container: " + what + ": " + std::strerror(number));
}

json read_json(const std::string& path) {
  std::ifstream file(path);
  if (!file) return nullptr;
  return json::parse(std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()), nullptr,
                     false);
}

std::optional<WallTime> time_at(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return std::nullopt;
  return parse_rfc3339(object[key].get<std::string>());
}

// The spec in an unlinked file, rewound.
int spec_file(const ShimSpec& spec) {
  const std::string text = to_json(spec).dump(-1, ' ', false, json::error_handler_t::replace);
  OwnedFd fd(::memfd_create("shim-spec", MFD_CLOEXEC));
  for (std::size_t done = 0; fd.get() >= 0 && done < text.size();) {
    const auto n = ::write(fd.get(), text.data() + done, text.size() - done);
    if (n <= 0) return -1;
    done += static_cast<std::size_t>(n);
  }
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd.release();
}

// File actions and attributes of posix_spawn, freed at the end.
struct SpawnPlan {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
};

Result<pid_t> spawn_shim(const std::vector<std::string>& command, int spec, int started) {
  SpawnPlan plan;
  // Copies above the fixed numbers first: a source may itself have one of them.
  const OwnedFd spec_copy(::fcntl(spec, F_DUPFD_CLOEXEC, 10));
  const OwnedFd started_copy(::fcntl(started, F_DUPFD_CLOEXEC, 10));
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&plan.actions, fd, "/dev/null", O_RDWR, 0);
  }
  ::posix_spawn_file_actions_adddup2(&plan.actions, spec_copy.get(), kShimSpecFd);
  ::posix_spawn_file_actions_adddup2(&plan.actions, started_copy.get(), kShimStartedFd);
  ::posix_spawn_file_actions_addclosefrom_np(&plan.actions, kShimStartedFd + 1);
  // A signal that comes before the shim is ready to read it must wait: its default action would end the shim.
  const sigset_t held = shim_signals();
  sigset_t all;
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&plan.attributes, &held);
  ::posix_spawnattr_setsigdefault(&plan.attributes, &all);
  ::posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int rc = ::posix_spawnp(&pid, argv[0], &plan.actions, &plan.attributes, argv.data(), environ);
  if (rc != 0) return failed(command.front(), rc);
  return pid;
}

}  // namespace

ContainerProcess::ContainerProcess(asio::any_io_executor executor, std::string folder)
    : folder_(std::move(folder)), pidfd_(executor), started_(executor) {}

ContainerProcess::~ContainerProcess() = default;

Result<std::unique_ptr<ContainerProcess>> ContainerProcess::start(asio::any_io_executor executor,
                                                                  const std::vector<std::string>& shim_command,
                                                                  const ShimSpec& spec) {
  const OwnedFd file(spec_file(spec));
  std::array<int, 2> pipe{-1, -1};
  if (file.get() < 0 || ::pipe2(pipe.data(), O_CLOEXEC) != 0) return failed("make pipes", errno);
  OwnedFd reader(pipe[0]);
  const OwnedFd writer(pipe[1]);
  const auto pid = spawn_shim(shim_command, file.get(), writer.get());
  DET_TRY(pid);
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0));
  if (pidfd < 0) {
    const int number = errno;
    // Nobody could follow it; the next try would start a second one beside it.
    ::kill(*pid, SIGKILL);
    ::waitpid(*pid, nullptr, 0);
    return failed("pidfd_open", number);
  }
  std::unique_ptr<ContainerProcess> process(new ContainerProcess(executor, spec.folder));
  process->is_child_ = true;
  process->pidfd_.assign(pidfd);
  process->started_.assign(reader.release());
  return process;
}

std::unique_ptr<ContainerProcess> ContainerProcess::adopt(asio::any_io_executor executor, const std::string& folder) {
  const json shim = read_json(folder + "/shim.json");
  if (!shim.is_object()) return nullptr;
  std::unique_ptr<ContainerProcess> process(new ContainerProcess(executor, folder));
  const int pid = shim.value("pid", 0);
  const auto start_time = shim.value("start_time", std::uint64_t{0});
  if (pid <= 0 || shim.value("boot_id", std::string()) != boot_id()) return process;
  const OwnedFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  // Compared after the descriptor was opened: from here on the number cannot change its meaning.
  if (pidfd.get() < 0 || process_start_time(pid) != start_time) return process;
  process->pidfd_.assign(::fcntl(pidfd.get(), F_DUPFD_CLOEXEC, 0));
  return process;
}

Task<bool> ContainerProcess::wait_started() {
  if (started_.is_open()) {
    std::array<char, 1> byte{};
    boost::system::error_code ended;
    co_await started_.async_read_some(asio::buffer(byte), asio::redirect_error(asio::use_awaitable, ended));
    if (ended == asio::error::operation_aborted) throw boost::system::system_error(ended);
    started_.close();
  }
  co_return started_at().has_value();
}

Task<ContainerExit> ContainerProcess::wait_exit() {
  siginfo_t info{};
  if (pidfd_.is_open()) {
    co_await pidfd_.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
    if (is_child_) ::waitid(P_PIDFD, static_cast<id_t>(pidfd_.native_handle()), &info, WEXITED | WNOHANG);
    pidfd_.close();
  }
  const json exit = read_json(folder_ + "/exit.json");
  if (!exit.is_object()) {
    constexpr int kKilled = 128 + SIGKILL;
    const bool gave_up = info.si_pid != 0 && info.si_code == CLD_EXITED && info.si_status != 0;
    co_return ContainerExit{
        kKilled, SystemClock().wall_now(),
        gave_up ? "the process that supervises the container cannot write into " + folder_ + "; is the disk full?"
                : "the process that supervised the container was killed or the machine was restarted",
        false};
  }
  const std::string error = exit.value("error", std::string());
  co_return ContainerExit{exit.value("exit_code", 0), time_at(exit, "finished_at").value_or(SystemClock().wall_now()),
                          error, !error.empty()};
}

void ContainerProcess::terminate() {
  signal(SIGTERM);
}

void ContainerProcess::kill() {
  signal(SIGUSR1);
}

void ContainerProcess::signal(int number) {
  if (pidfd_.is_open()) ::syscall(SYS_pidfd_send_signal, pidfd_.native_handle(), number, nullptr, 0);
}

std::optional<WallTime> ContainerProcess::started_at() const {
  return time_at(read_json(folder_ + "/started.json"), "started_at");
}

}  // namespace det::local
