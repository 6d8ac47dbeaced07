#include "local/postgres_process.h"

#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/encoding.h"
#include "base/log.h"
#include "base/set_aside.h"
#include "local/postgres_programs.h"
#include "local/restart_pause.h"
#include "pg/raw_connection.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPause{20};
constexpr std::chrono::seconds kStartTimeout{60};
constexpr std::chrono::seconds kLongStart{10};
constexpr const char* kServerUser = "postgres";
constexpr const char* kStartingUp = "the database system is ";  // "starting up", "in recovery mode": its locale is C

// PREFIX of PREFIX/bin/det-operator.
std::string own_prefix() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path().string();
}

std::string tail_of(const std::string& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  constexpr std::size_t kTail = 2000;
  return text.size() > kTail ? text.substr(text.size() - kTail) : text;
}

// A folder's name within a URL.
std::string url_text(const std::string& path) {
  std::string text;
  for (const char c : path) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("/-._~").contains(c);
    text += is_plain ? std::string(1, c) : "%" + hex_encode(std::string_view(&c, 1));
  }
  return text;
}

}  // namespace

class PostgresProcess::Impl {
 public:
  Impl(asio::any_io_executor executor, Clock& clock, PostgresOptions options)
      : executor_(std::move(executor)), clock_(clock), options_(std::move(options)) {}

  Status start() {
    if (Status prepared = prepare_folder(); !prepared) return prepared;
    if (!fs::exists(data() + "/PG_VERSION")) {
      if (Status made = make_cluster(); !made) return made;
    }
    return start_server();
  }

  Task<void> supervise() {
    RestartPause pause;
    SteadyTime started = clock_.steady_now();
    for (;;) {
      asio::posix::stream_descriptor ended(executor_, static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
      co_await ended.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
      int status = 0;
      ::waitpid(pid_, &status, 0);
      pid_ = -1;
      log_.error("PostgreSQL ended by itself; starting it again", {{"status", status}, {"log", log_file()}});
      for (Status again = spawn_server(); !again; again = spawn_server()) {
        log_.error("PostgreSQL does not start", {{"error", again.error().message}});
        co_await clock_.sleep_for(pause.after(std::chrono::seconds(0)));
      }
      const SteadyTime now = clock_.steady_now();
      co_await clock_.sleep_for(pause.after(now - std::exchange(started, now)));
    }
  }

  void stop() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGINT);  // fast: sessions are ended, everything is written out
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
  }

  [[nodiscard]] std::string url() const { return "postgresql://det@/postgres?host=" + url_text(options_.folder); }

 private:
  [[nodiscard]] std::string data() const { return options_.folder + "/data"; }
  [[nodiscard]] std::string log_file() const { return options_.folder + "/postgres.log"; }

  Status prepare_folder() {
    auto programs = choose_postgres(find_postgres(own_prefix()), data());
    DET_TRY(programs);
    programs_ = std::move(programs->folder);
    std::error_code error;
    fs::create_directories(options_.folder, error);
    if (error) return fail(ErrorCode::kFailedPrecondition, options_.folder + " cannot be made: " + error.message());
    if (::geteuid() != 0) {
      fs::permissions(options_.folder, fs::perms::owner_all, error);
      return {};
    }
    const passwd* user = ::getpwnam(kServerUser);
    if (user == nullptr)
      return fail(ErrorCode::kFailedPrecondition,
                  "there is no user postgres, which PostgreSQL runs as when root starts it: start this as an ordinary "
                  "user, or make that one (useradd --system postgres)");
    if (::chown(options_.folder.c_str(), user->pw_uid, user->pw_gid) != 0) {
      return fail(ErrorCode::kFailedPrecondition,
                  options_.folder + " cannot be given to user postgres: " + std::strerror(errno));
    }
    fs::permissions(options_.folder, fs::perms::owner_all, error);
    if (run_to_end({"/usr/bin/test", "-x", options_.folder}) != 0) {
      return fail(ErrorCode::kFailedPrecondition,
                  "user postgres cannot reach " + options_.folder +
                      "; choose a data folder outside /root, or open the folders above it (chmod o+x)");
    }
    return {};
  }

  Status make_cluster() {
    std::error_code error;
    // Without the locale, initdb on a machine with no LANG makes an ASCII cluster. Whoever can open the socket's folder
    // is let in: it belongs to one user and is closed to all others but root. The sync is left to the server's first
    // stop.
    const std::string making = options_.folder + "/data.new";
    fs::remove_all(making, error);  // half a cluster of a run that was interrupted
    if (run_to_end({programs_ + "/initdb", "-D", making, "-E", "UTF8", "--locale=C.UTF-8", "--auth=trust",
                    "--username=det", "--no-sync", "--no-instructions"}) != 0) {
      return fail(ErrorCode::kUnavailable, "initdb failed: " + tail_of(log_file()));
    }
    fs::rename(making, data(), error);
    if (error) return fail(ErrorCode::kUnavailable, "initdb's folder cannot be renamed: " + error.message());
    return {};
  }

  Status start_server() {
    if (Status spawned = spawn_server(); !spawned) return spawned;
    const auto started = std::chrono::steady_clock::now();
    auto end = std::chrono::steady_clock::now() + kStartTimeout;
    bool is_told = false;
    for (;;) {
      const auto opened = pg::RawConnection::open(url(), "det-operator");
      if (opened) break;
      // After a crash it may replay gigabytes, and would begin anew if it were stopped.
      if (opened.error().message.contains(kStartingUp)) {
        end = std::chrono::steady_clock::now() + kStartTimeout;
        if (std::chrono::steady_clock::now() > started + kLongStart && !std::exchange(is_told, true)) {
          log_.info("PostgreSQL recovers what it had not written out; this may take minutes", {{"log", log_file()}});
        }
      }
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        // The server of a process that was killed may still be writing everything out, and hold the folder.
        pid_ = -1;
        std::this_thread::sleep_for(kPause * 5);
        const bool is_held = tail_of(log_file()).contains("postmaster.pid");
        if (std::chrono::steady_clock::now() > (is_held ? end : started + kLongStart)) {
          return fail(ErrorCode::kUnavailable, "PostgreSQL does not start: " + tail_of(log_file()));
        }
        if (Status spawned = spawn_server(); !spawned) return spawned;
      }
      if (std::chrono::steady_clock::now() > end) {
        stop();
        return fail(ErrorCode::kUnavailable, "PostgreSQL does not answer: " + tail_of(log_file()));
      }
      std::this_thread::sleep_for(kPause);
    }
    return {};
  }

  Status spawn_server() {
    set_aside_if_long(log_file());
    auto pid = spawn({programs_ + "/postgres", "-D", data(), "-c", "listen_addresses=", "-c",
                      "unix_socket_directories=" + options_.folder, "-c", "shared_buffers=" + options_.shared_buffers,
                      "-c", "max_connections=" + std::to_string(options_.max_connections), "-c", "jit=off"});
    DET_TRY(pid);
    pid_ = *pid;
    return {};
  }

  int run_to_end(std::vector<std::string> command) {
    auto pid = spawn(std::move(command));
    int status = -1;
    if (pid) ::waitpid(*pid, &status, 0);
    return status;
  }

  // As the server's user, told to stop when this process dies, its output in the log. Not to quit: a server that
  // recovers has skipped the numbers that its sequences had in reserve, and experiment 34 would follow experiment 1.
  Result<pid_t> spawn(std::vector<std::string> command) {
    std::vector<std::string> words{"setpriv", "--pdeathsig", "INT"};
    if (::geteuid() == 0) {
      const std::string user(kServerUser);
      words.insert(words.end(), {"--reuid=" + user, "--regid=" + user, "--init-groups"});
    }
    words.insert(words.end(), command.begin(), command.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_file().c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                       0600);
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    // A session of its own: Ctrl-C in the terminal is for us, and we stop the server when all else has ended.
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    const int rc = ::posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (rc != 0) return fail(ErrorCode::kUnavailable, "start " + command.front() + ": " + std::strerror(rc));
    return pid;
  }

  asio::any_io_executor executor_;
  Clock& clock_;
  PostgresOptions options_;
  Logger log_{"postgres"};
  std::string programs_;
  pid_t pid_ = -1;
};

std::string socket_of(const std::string& folder) {
  return folder + "/.s.PGSQL.5432";
}

PostgresProcess::PostgresProcess(asio::any_io_executor executor, Clock& clock, PostgresOptions options)
    : impl_(std::make_unique<Impl>(std::move(executor), clock, std::move(options))) {}
PostgresProcess::~PostgresProcess() = default;
Status PostgresProcess::start() {
  return impl_->start();
}
Task<void> PostgresProcess::supervise() {
  return impl_->supervise();
}
void PostgresProcess::stop() {
  impl_->stop();
}
std::string PostgresProcess::url() const {
  return impl_->url();
}

}  // namespace det::local
