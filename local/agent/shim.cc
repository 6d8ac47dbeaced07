#include "local/agent/shim.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "local/agent/container_log.h"
#include "local/agent/exit_file.h"
#include "local/agent/first_process.h"
#include "local/agent/seccomp_filter.h"
#include "local/agent/shim_limits.h"
#include "local/agent/shim_mounts.h"

namespace det::local {
namespace {

using nlohmann::json;

constexpr int kStartFailed = 128;

std::string read_all(int fd) {
  std::string out;
  std::array<char, 65536> buffer{};
  for (;;) {
    const auto n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return out;
    out.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

// An unlinked file that a program started by us inherits, rewound; -1 with errno.
int inherited_file(const char* name, std::string_view text) {
  const int fd = ::memfd_create(name, 0);
  for (std::size_t done = 0; fd >= 0 && done < text.size();) {
    const auto n = ::write(fd, text.data() + done, text.size() - done);
    if (n <= 0) return -1;
    done += static_cast<std::size_t>(n);
  }
  if (fd >= 0) ::lseek(fd, 0, SEEK_SET);
  return fd;
}

int filter_file() {
  const std::vector<sock_filter> program = sandbox_filter();
  return inherited_file("seccomp",
                        {reinterpret_cast<const char*>(program.data()), program.size() * sizeof(sock_filter)});
}

// bubblewrap's options in an unlinked file: they hold the environment, and a command line can be read by everybody.
int options_file(const ShimSpec& spec) {
  std::string text;
  for (const std::string& word : spec.arguments) {
    if (word.find('\0') != std::string::npos) {  // it would be two options
      errno = EINVAL;
      return -1;
    }
    text.append(word).push_back('\0');
  }
  return inherited_file("bwrap-options", text);
}

using Steady = std::chrono::steady_clock;

class Shim {
 public:
  explicit Shim(ShimSpec spec) : spec_(std::move(spec)) {}

  int run() {
    const json self{
        {"pid", ::getpid()}, {"start_time", process_start_time(::getpid()).value_or(0)}, {"boot_id", boot_id()}};
    // Without room for how it ends nothing begins.
    if (!exit_file_.reserve()) return 1;
    if (!write_file_atomically(spec_.folder + "/shim.json", self.dump(), 0600)) return 1;
    if (Status mounted = make_mounts(spec_); !mounted) return finish(kStartFailed, mounted.error().message);
    if (Status started = start(); !started) return finish(kStartFailed, started.error().message);
    watch();
    return conclude();
  }

 private:
  Status start() {
    ::sigprocmask(SIG_BLOCK, &signals_, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    signal_fd_ = ::signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK);
    open_log();
    const int options = options_file(spec_);
    const int filter = filter_file();
    std::array<int, 2> output{};
    std::array<int, 2> status{};
    if (signal_fd_ < 0 || log_fd_ < 0 || options < 0 || filter < 0 || ::pipe2(output.data(), O_CLOEXEC) != 0 ||
        ::pipe2(status.data(), O_CLOEXEC) != 0) {
      return fail(ErrorCode::kInternal, std::string("prepare the sandbox: ") + std::strerror(errno));
    }
    bwrap_ = ::fork();
    if (bwrap_ == 0) exec_bwrap(options, filter, output[1], status[1]);
    for (const int fd : {options, filter, output[1], status[1]}) ::close(fd);
    if (bwrap_ < 0) return fail(ErrorCode::kInternal, std::string("fork: ") + std::strerror(errno));
    output_fd_ = output[0];
    status_fd_ = status[0];
    ::fcntl(output_fd_, F_SETFL, O_NONBLOCK);
    return {};
  }

  [[noreturn]] void exec_bwrap(int options, int filter, int output, int status) {
    for (const std::string& file : spec_.cgroup_procs) {
      const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd < 0 || ::write(fd, "0", 1) != 1) ::_exit(kStartFailed);
    }
    limit_self(spec_);
    ::sigprocmask(SIG_UNBLOCK, &signals_, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::umask(022);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::fcntl(status, F_SETFD, 0);
    std::vector<std::string> words{spec_.bwrap,
                                   "--args",
                                   std::to_string(options),
                                   "--seccomp",
                                   std::to_string(filter),
                                   "--json-status-fd",
                                   std::to_string(status),
                                   "--"};
    words.insert(words.end(), spec_.command.begin(), spec_.command.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    const std::string text =
        "bwrap: " + spec_.bwrap + " cannot be run (" + std::strerror(errno) + "); install bubblewrap\n";
    (void)!::write(STDERR_FILENO, text.data(), text.size());
    ::_exit(kStartFailed);
  }

  // Until bubblewrap has closed its status pipe, which it does by ending, and the output has been read to its end.
  void watch() {
    while (status_fd_ >= 0 || output_fd_ >= 0) {
      std::array<pollfd, 3> fds{pollfd{signal_fd_, POLLIN, 0}, pollfd{output_fd_, POLLIN, 0},
                                pollfd{status_fd_, POLLIN, 0}};
      if (::poll(fds.data(), fds.size(), term_wanted_at_ ? millis_to_next_look() : -1) < 0) continue;
      if (term_wanted_at_) pass_signals();
      if (fds[0].revents != 0) take_signals();
      if (fds[1].revents != 0) take_output();
      if (fds[2].revents != 0) take_status();
    }
  }

  void take_signals() {
    signalfd_siginfo info{};
    while (::read(signal_fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      if (info.ssi_signo == SIGTERM) term_wanted_at_ = Steady::now();
      if (info.ssi_signo == SIGUSR1) wants_kill_ = true;
    }
    pass_signals();
  }

  // A signal that came before the container did is passed on as soon as it is there.
  void pass_signals() {
    if (wants_kill_) {
      if (child_fd_ >= 0) {
        ::syscall(SYS_pidfd_send_signal, child_fd_, SIGKILL, nullptr, 0);
      } else {
        ::kill(bwrap_, SIGKILL);
      }
    } else if (term_wanted_at_ && child_fd_ >= 0 &&
               (hears_term(child_pid_, spec_.bwrap) || term_age() > kTermPatience)) {
      ::syscall(SYS_pidfd_send_signal, child_fd_, SIGTERM, nullptr, 0);
      term_wanted_at_.reset();
    }
  }

  [[nodiscard]] Steady::duration term_age() const { return Steady::now() - *term_wanted_at_; }

  // Often at first, when a program that has just been started gets ready to be stopped.
  [[nodiscard]] int millis_to_next_look() const { return term_age() < std::chrono::seconds(1) ? 5 : 100; }

  void take_output() {
    std::array<char, 65536> buffer{};
    const auto n = ::read(output_fd_, buffer.data(), buffer.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    const WallTime now = SystemClock().wall_now();
    if (n > 0) {
      const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
      if (head_.size() < kHead) head_ += bytes.substr(0, kHead - head_.size());
      write_log(lines_.add(bytes, now));
      return;
    }
    write_log(lines_.finish(now));
    ::close(output_fd_);
    output_fd_ = -1;
  }

  void open_log() {
    log_fd_ = ::open((spec_.folder + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    struct stat info{};
    log_size_ = log_fd_ >= 0 && ::fstat(log_fd_, &info) == 0 ? info.st_size : 0;
  }

  // Readers go on with the old file to its end (log_routes.cc).
  void rotate_log() {
    const std::string path = spec_.folder + "/log";
    if (::rename(path.c_str(), (path + ".1").c_str()) != 0) return;
    ::close(log_fd_);
    open_log();
  }

  // Line by line as far as the limit asks for it: neither file is larger, unless one line is.
  void write_log(std::string_view text) {
    while (!text.empty()) {
      const auto room = static_cast<std::size_t>(std::max<std::int64_t>(spec_.log_limit - log_size_, 0));
      const auto end = text.size() <= room ? text.size() - 1
                       : room == 0         ? std::string_view::npos
                                           : text.rfind('\n', room - 1);
      if (end == std::string_view::npos && log_size_ > 0) {
        rotate_log();
        if (log_size_ > 0) return append_log(text);  // it cannot be renamed: better too large than lost
        continue;
      }
      const auto size = (end == std::string_view::npos ? std::min(text.find('\n'), text.size() - 1) : end) + 1;
      append_log(text.substr(0, size));
      text.remove_prefix(size);
    }
  }

  void append_log(std::string_view text) {
    log_size_ += static_cast<std::int64_t>(text.size());
    for (std::size_t done = 0; done < text.size();) {
      const auto n = ::write(log_fd_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return;  // the disk is full: the container goes on, its log does not
      done += static_cast<std::size_t>(n);
    }
  }

  void take_status() {
    std::array<char, 4096> buffer{};
    const auto n = ::read(status_fd_, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) {
      ::close(status_fd_);
      status_fd_ = -1;
      return;
    }
    status_text_.append(buffer.data(), static_cast<std::size_t>(n));
    for (auto end = status_text_.find('\n'); end != std::string::npos; end = status_text_.find('\n')) {
      take_status_line(json::parse(status_text_.substr(0, end), nullptr, false));
      status_text_.erase(0, end + 1);
    }
  }

  void take_status_line(const json& line) {
    if (!line.is_object()) return;
    if (line.contains("exit-code") && line["exit-code"].is_number_integer()) exit_code_ = line["exit-code"].get<int>();
    if (!line.contains("child-pid") || !line["child-pid"].is_number_integer()) return;
    child_pid_ = line["child-pid"].get<int>();
    child_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, child_pid_, 0));
    if (spec_.process_limit) limit_process_space(child_pid_, *spec_.process_limit);
    (void)write_file_atomically(spec_.folder + "/started.json",
                                json{{"started_at", format_rfc3339_micros(SystemClock().wall_now())}}.dump(), 0600);
    (void)!::write(kShimStartedFd, "1", 1);
    ::close(kShimStartedFd);
    pass_signals();
  }

  int conclude() {
    int status = 0;
    while (::waitpid(bwrap_, &status, 0) < 0 && errno == EINTR) {
    }
    // Killed on demand, if need be while the sandbox was still being made.
    if (wants_kill_ && !exit_code_) return finish(128 + SIGKILL, {});
    // What bubblewrap itself says is about the sandbox or about a program that is not there.
    if (head_.starts_with("bwrap: ") && exit_code_.value_or(1) != 0) {
      return finish(kStartFailed, head_.substr(7, head_.find('\n') - 7));
    }
    if (exit_code_) return finish(*exit_code_, {});
    if (WIFSIGNALED(status)) return finish(128 + WTERMSIG(status), {});
    return finish(kStartFailed, "the sandbox ended before the container began");
  }

  int finish(int exit_code, const std::string& error) {
    return exit_file_.write(exit_code, SystemClock().wall_now(), error) ? 0 : 1;
  }

  static constexpr std::size_t kHead = 512;
  static constexpr std::chrono::minutes kTermPatience{1};  // a program that hears nothing by then is not going to
  ShimSpec spec_;
  ExitFile exit_file_{spec_.folder};
  sigset_t signals_ = shim_signals();
  int signal_fd_ = -1;
  int log_fd_ = -1;
  std::int64_t log_size_ = 0;
  int output_fd_ = -1;
  int status_fd_ = -1;
  int child_fd_ = -1;
  int child_pid_ = 0;
  pid_t bwrap_ = -1;
  std::optional<Steady::time_point> term_wanted_at_;  // until it was passed on
  bool wants_kill_ = false;
  std::optional<int> exit_code_;
  std::string status_text_;
  std::string head_;
  LogLines lines_;
};

}  // namespace

sigset_t shim_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGUSR1, SIGINT, SIGHUP}) sigaddset(&signals, number);
  return signals;
}

int shim_main() {
  ::fcntl(kShimStartedFd, F_SETFD, FD_CLOEXEC);
  const json read = json::parse(read_all(kShimSpecFd), nullptr, false);
  ::close(kShimSpecFd);
  auto spec = shim_spec_from_json(read);
  if (!spec) return 2;
  return Shim(std::move(*spec)).run();
}

}  // namespace det::local
