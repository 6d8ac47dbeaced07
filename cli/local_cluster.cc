#include "cli/local_cluster.h"

#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/remove_tree.h"
#include "base/set_aside.h"
#include "cli/daemon_log.h"
#include "cli/options_of_cluster.h"
#include "cli/stop_daemon.h"
#include "cli/text.h"

namespace det::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kPollEvery{100};
// What det-operator itself holds as long as it uses the folder, whoever started it; its pid is in it.
constexpr const char* kServerLockFile = "lock";
// Whose presence says that a folder is ours, so that --delete-db never empties somebody's home.
constexpr const char* kLockFile = "det-local.lock";
constexpr const char* kPidFile = "det-operator.pid";
constexpr const char* kLogFile = "det-operator.log";
// Trained models outlive the database that knows of them, as they do with the Python command line.
constexpr const char* kKeptFolder = "checkpoints";

fs::path folder_of(const World& world, const std::string& given) {
  if (given.empty()) return default_data_folder(world);
  std::error_code ignored;
  return fs::absolute(given, ignored);
}

struct Daemon {
  ProcessIdentity process;
  std::string url;
};

std::optional<Daemon> read_daemon(const fs::path& folder) {
  std::ifstream in(folder / kPidFile);
  std::ostringstream text;
  text << in.rdbuf();
  const json value = json::parse(text.str(), nullptr, false);
  const auto process = identity_from_json(value);
  if (!process) return std::nullopt;
  return Daemon{.process = *process, .url = value.value("url", "")};
}

std::optional<Daemon> running_daemon(const fs::path& folder) {
  auto daemon = read_daemon(folder);
  if (daemon && !is_running(daemon->process)) return std::nullopt;
  return daemon;
}

Status write_daemon(const fs::path& folder, const Daemon& daemon) {
  json value = to_json(daemon.process);
  value["url"] = daemon.url;
  std::ofstream out(folder / kPidFile);
  out << value.dump(2) << "\n";
  out.close();
  if (!out) return fail(ErrorCode::kInternal, "cannot write " + (folder / kPidFile).string());
  return {};
}

// One cluster-up or cluster-down of a folder at a time.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : fd_(::open((folder / kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    is_held_ = fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
  }
  ~FolderLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  [[nodiscard]] bool is_held() const { return is_held_; }

 private:
  int fd_;
  bool is_held_ = false;
};

Status lock_failed(const fs::path& folder) {
  return fail(ErrorCode::kAborted,
              "another 'det deploy local' works on " + folder.string() + "; try again when it is done");
}

// The pid of a server that uses the folder, as it wrote it down; nothing when none does. One that cluster-up did not
// start has no pid file.
std::optional<std::string> server_in(const fs::path& folder) {
  const fs::path file = folder / kServerLockFile;
  const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  const bool is_free = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  ::close(fd);
  if (is_free) return std::nullopt;
  std::ifstream in(file);
  std::string pid;
  in >> pid;
  return pid;
}

Status runs_by_other_means(const fs::path& folder, const std::string& pid) {
  return fail(ErrorCode::kFailedPrecondition,
              "det-operator (pid " + pid + ") uses " + folder.string() +
                  ", and cluster-up did not start it: end it where it was started (Ctrl-C, or the service manager), or "
                  "with 'kill " +
                  pid + "', then repeat this");
}

bool has_pods(const fs::path& folder) {
  std::error_code failed;
  const bool is_empty = fs::is_empty(folder / "agent" / "pods", failed);
  return !failed && !is_empty;
}

// A kubeconfig by itself may be anybody's; a server's has its lock or its database beside it.
bool is_ours(const fs::path& folder) {
  const bool has_server = fs::exists(folder / kServerLockFile) || fs::exists(folder / "postgres" / "PG_VERSION");
  return fs::exists(folder / kLockFile) || fs::exists(folder / kPidFile) ||
         (has_server && fs::exists(folder / "kubeconfig"));
}

Status prepare_folder(const fs::path& folder) {
  std::error_code failed;
  const bool is_new = fs::create_directories(folder, failed);
  if (failed) {
    return fail(ErrorCode::kInvalidArgument, "--data-dir: cannot make " + folder.string() + ": " + failed.message());
  }
  if (!fs::is_empty(folder, failed) && !is_ours(folder)) {
    return fail(ErrorCode::kInvalidArgument, "--data-dir: " + folder.string() +
                                                 " holds other things; name a folder that is empty or does not exist");
  }
  // det-operator itself decides whom to let through from then on: root's database runs as another user.
  if (is_new) fs::permissions(folder, fs::perms::owner_all, failed);
  return {};
}

std::uintmax_t size_of(const fs::path& file) {
  std::error_code failed;
  const auto size = fs::file_size(file, failed);
  return failed ? 0 : size;
}

Task<bool> answers(World& world, std::string url) {
  HttpRequest request;
  request.url = url + "/ready";  // answers once the database can be used, too
  request.timeout = milliseconds(5'000);
  const auto response = co_await world.http.send(std::move(request));
  co_return response && response->status == 200;
}

Task<bool> is_taken(World& world, std::string url) {
  HttpRequest request;
  request.url = url + "/info";
  request.timeout = milliseconds(2'000);
  const auto response = co_await world.http.send(std::move(request));
  // Anything but "nobody listens" is somebody.
  co_return response || response.error().code != ErrorCode::kUnavailable;
}

void say_where(World& world, const fs::path& folder, const std::string& url) {
  world.out << "URL:        " << url << "/\n"
            << "kubeconfig: " << (folder / "kubeconfig").string() << "\n"
            << "log:        " << (folder / kLogFile).string() << " (det deploy local logs)\n";
  if (url != "http://localhost:8080") world.out << "For det:    export DET_MASTER=" << url << "\n";
  world.out << "Stop it:    det deploy local cluster-down";
  if (folder != default_data_folder(world)) world.out << " --data-dir " << folder.string();
  world.out << std::endl;
}

// `had_passwords`: made at an earlier start.
void say_who_gets_in(World& world, const fs::path& folder, bool is_blank, bool had_passwords) {
  const fs::path passwords = folder / "passwords";
  std::error_code ignored;
  if (is_blank) {
    world.out << "Log in as user 'determined' or 'admin' with a blank password.\n"
              << "Blank passwords: everybody on this machine, and every task, can log in as admin. Without "
                 "--blank-passwords the next start makes passwords.\n";
    return;
  }
  world.out << "You are logged in as 'determined' (and 'admin': det -u admin ...).\n";
  if (had_passwords || !fs::exists(passwords, ignored)) return;
  world.out << "Users without a password were given one. Other programs and people need it: cat " << passwords.string()
            << "\n(Old guides that log in with a blank password: cluster-up --blank-passwords)\n";
}

Task<Result<int>> wait_until_ready(World& world, fs::path folder, Daemon daemon, std::uintmax_t log_start,
                                   int seconds) {
  const fs::path log = folder / kLogFile;
  const std::string pid = std::to_string(daemon.process.pid);
  world.on_interrupt = "det-operator (pid " + pid +
                       ") goes on starting in the background; 'det deploy local logs' shows "
                       "how far it is.";
  const auto deadline = world.clock.steady_now() + std::chrono::seconds(seconds);
  while (!co_await answers(world, daemon.url)) {
    if (!is_running(daemon.process)) {
      std::error_code ignored;
      fs::remove(folder / kPidFile, ignored);
      co_return fail(ErrorCode::kUnavailable, "det-operator ended before it was ready. The end of " + log.string() +
                                                  ":\n" + log_tail(log, log_start));
    }
    if (world.clock.steady_now() >= deadline) {
      co_return fail(ErrorCode::kDeadlineExceeded, "det-operator (pid " + pid + ") does not answer at " + daemon.url +
                                                       " after " + std::to_string(seconds) +
                                                       " s; it goes on running. The end of " + log.string() + ":\n" +
                                                       log_tail(log, log_start));
    }
    co_await world.clock.sleep_for(kPollEvery);
  }
  world.on_interrupt.clear();
  co_return kDone;
}

void warn_of_not_applied(World& world, const ProcessIdentity& process, const UpOptions& options) {
  const auto running = arguments_of(process);
  if (running.empty()) return;  // it has just ended
  std::string missing;
  for (const std::string& one : not_applied(running, options)) missing += (missing.empty() ? "" : ", ") + one;
  if (missing.empty()) return;
  world.err << colored("Warning: it was started without " + missing +
                           ", which is not applied: 'det deploy local cluster-down' first, then this again",
                       Color::kYellow, world.err_is_terminal)
            << std::endl;
}

// Of a server that was killed, or did not end them.
Task<Status> end_pods(World& world, fs::path folder, bool is_deleted) {
  if (!has_pods(folder)) co_return Status();
  if (const auto program = find_operator(world)) {
    co_return co_await end_left_pods(world, *program, folder, folder / kLogFile);
  }
  const std::string why = "programs of tasks may still run: det-operator, which would end them, is neither in " +
                          world.program.parent_path().string() + " nor on PATH";
  // It is what tells of them.
  if (is_deleted) co_return fail(ErrorCode::kNotFound, why + "; nothing was deleted");
  world.err << colored("Warning: " + why, Color::kYellow, world.err_is_terminal) << std::endl;
  co_return Status();
}

// Everything but trained models.
Status delete_content(const fs::path& folder) {
  std::error_code failed;
  if (!is_ours(folder)) {
    return fail(ErrorCode::kFailedPrecondition, folder.string() + " is no data folder of det; nothing was deleted");
  }
  std::vector<std::string> content;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename();
    if (name != kKeptFolder && name != kLockFile) content.push_back(entry.path());
  }
  if (failed) return fail(ErrorCode::kInternal, "cannot read " + folder.string() + ": " + failed.message());
  auto removed = remove_trees(content);
  if (!removed) return std::unexpected(with_context(std::move(removed).error(), "not all could be deleted"));
  return {};
}

}  // namespace

fs::path default_data_folder(const World& world) {
  if (world.is_root) return "/var/lib/det-operator/local";
  const std::string state = world.variable_or("XDG_STATE_HOME", "");
  return (state.empty() ? world.home / ".local" / "state" : fs::path(state)) / "det-operator" / "local";
}

std::optional<fs::path> find_operator(const World& world) {
  std::vector<fs::path> folders = {world.program.parent_path()};
  std::istringstream path(world.variable_or("PATH", ""));
  for (std::string folder; std::getline(path, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  for (const auto& folder : folders) {
    const fs::path candidate = folder / "det-operator";
    if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate)) return candidate;
  }
  return std::nullopt;
}

Task<Result<int>> cluster_up(Invocation in, UpOptions options) {
  World& world = in.world;
  const fs::path folder = folder_of(world, options.data_folder);
  DET_CO_TRY(prepare_folder(folder));
  const FolderLock lock(folder);
  if (!lock.is_held()) co_return std::unexpected(lock_failed(folder).error());
  if (const auto daemon = running_daemon(folder)) {
    const auto ready = co_await wait_until_ready(world, folder, *daemon, 0, options.timeout_seconds);
    if (!ready) co_return ready;
    world.out << "det-operator already runs (pid " << daemon->process.pid << ").\n";
    say_where(world, folder, daemon->url);
    warn_of_not_applied(world, daemon->process, options);
    co_return kDone;
  }
  const auto program = find_operator(world);
  if (!program) {
    co_return fail(ErrorCode::kNotFound,
                   "the program det-operator is neither in " + world.program.parent_path().string() + " nor on PATH");
  }
  Daemon daemon{.process = {}, .url = "http://localhost:" + std::to_string(options.port.value_or(kDefaultPort))};
  if (co_await is_taken(world, daemon.url)) {
    co_return fail(ErrorCode::kFailedPrecondition, "port " + std::to_string(options.port.value_or(kDefaultPort)) +
                                                       " is in use by another program; choose one with --port");
  }
  const fs::path log = folder / kLogFile;
  set_aside_if_long(log);
  const auto log_start = size_of(log);
  const bool had_passwords = fs::exists(folder / "passwords");
  const auto process = start_daemon(command_line(*program, folder, options), log);
  DET_CO_TRY(process);
  daemon.process = *process;
  if (const Status written = write_daemon(folder, daemon); !written) {
    send_signal(*process, SIGTERM);
    co_return std::unexpected(written.error());
  }
  world.out << "Starting det-operator (pid " << process->pid << ")..." << std::endl;
  const auto ready = co_await wait_until_ready(world, folder, daemon, log_start, options.timeout_seconds);
  if (!ready) co_return ready;
  world.out << "det-operator is up. ";
  say_who_gets_in(world, folder, options.blank_passwords, had_passwords);
  say_where(world, folder, daemon.url);
  const std::string python = warning_of_python(log, log_start);
  if (!python.empty()) world.err << colored("Warning: " + python, Color::kYellow, world.err_is_terminal) << std::endl;
  co_return kDone;
}

Task<Result<int>> cluster_down(Invocation in, DownOptions options) {
  World& world = in.world;
  const fs::path folder = folder_of(world, options.data_folder);
  if (!fs::exists(folder)) {
    world.out << "det-operator does not run: there is no " << folder.string() << "\n";
    co_return kDone;
  }
  std::optional<FolderLock> lock;
  if (is_ours(folder)) lock.emplace(folder);
  if (lock && !lock->is_held()) co_return std::unexpected(lock_failed(folder).error());
  const auto daemon = running_daemon(folder);
  Status ended;
  if (!daemon) {
    if (const auto pid = server_in(folder)) co_return std::unexpected(runs_by_other_means(folder, *pid).error());
    const bool was_started = read_daemon(folder).has_value();
    world.out << (was_started ? "det-operator does not run: it ended by itself (det deploy local logs says why).\n"
                              : "det-operator does not run.\n");
    ended = co_await end_pods(world, folder, options.delete_data);
  } else {
    world.out << "Stopping det-operator (pid " << daemon->process.pid << ")..." << std::endl;
    const bool is_stuck = !co_await stop_daemon(world, folder, daemon->process);
    if (is_stuck) send_signal(daemon->process, SIGKILL, true);
    while (is_running(daemon->process)) co_await world.clock.sleep_for(kPollEvery);
    ended = co_await end_pods(world, folder, options.delete_data);
    world.out << (is_stuck ? "det-operator did not end in time and was killed.\n" : "det-operator has stopped.\n");
  }
  std::error_code ignored;
  fs::remove(folder / kPidFile, ignored);
  DET_CO_TRY(ended);
  if (options.delete_data) {
    DET_CO_TRY(delete_content(folder));
    world.out << "Deleted the database and everything else in " << folder.string() << " except " << kKeptFolder
              << "/.\n";
  }
  co_return kDone;
}

Task<Result<int>> cluster_logs(Invocation in, DaemonLogOptions options) {
  const fs::path folder = folder_of(in.world, options.data_folder);
  const fs::path log = folder / kLogFile;
  std::ifstream file(log);
  if (!file) {
    co_return fail(ErrorCode::kNotFound, "there is no log " + log.string() +
                                             "; 'det deploy local cluster-up' starts the "
                                             "program that writes it");
  }
  while (true) {
    const bool is_last = !options.follow || !running_daemon(folder);
    std::string bytes(64 << 10, '\0');
    while (file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())), file.gcount() > 0) {
      in.world.out.write(bytes.data(), file.gcount());
    }
    in.world.out.flush();
    if (!in.world.out) co_return fail(ErrorCode::kCanceled, "cannot write the output");
    if (is_last) co_return kDone;
    file.clear();
    co_await in.world.clock.sleep_for(kPollEvery);
  }
}

}  // namespace det::cli
