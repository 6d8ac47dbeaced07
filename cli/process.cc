#include "cli/process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

namespace det::cli {
namespace {

std::string read_all(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  std::string out = text.str();
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

// The attributes of posix_spawn, freed on every way out.
struct SpawnSettings {
  SpawnSettings() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};
};

Result<pid_t> spawn(const std::vector<std::string>& argv, const std::filesystem::path& log) {
  SpawnSettings settings;
  posix_spawn_file_actions_addopen(&settings.files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&settings.files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&settings.files, 1, 2);
  // What this process blocks or ignores is not the program's business.
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&settings.attributes, &none);
  posix_spawnattr_setsigdefault(&settings.attributes, &all);
  posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> arguments;
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failed =
      posix_spawnp(&pid, argv.front().c_str(), &settings.files, &settings.attributes, arguments.data(), environ);
  if (failed == 0) return pid;
  return fail(failed == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInternal,
              "cannot start " + argv.front() + ": " + std::strerror(failed));
}

}  // namespace

Result<ProcessIdentity> start_daemon(const std::vector<std::string>& argv, const std::filesystem::path& log) {
  const auto pid = spawn(argv, log);
  DET_TRY(pid);
  if (auto identity = identify(*pid)) return *identity;
  // It has ended already: an identity that nobody has.
  return ProcessIdentity{.pid = *pid, .start_ticks = 0, .boot_id = ""};
}

Status start_program(const std::vector<std::string>& argv) {
  const auto pid = spawn(argv, "/dev/null");
  DET_TRY(pid);
  return {};
}

Result<pid_t> start_child(const std::vector<std::string>& argv, const std::filesystem::path& log) {
  return spawn(argv, log);
}

std::optional<int> exit_of(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, WNOHANG) != child) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::optional<ProcessIdentity> identify(pid_t pid) {
  if (pid <= 0) return std::nullopt;
  // A child of ours that has ended stays in /proc until somebody asks how.
  ::waitpid(pid, nullptr, WNOHANG);
  const std::string stat = read_all("/proc/" + std::to_string(pid) + "/stat");
  // The name in parentheses may hold anything, parentheses too.
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  ProcessIdentity identity{.pid = pid, .start_ticks = 0, .boot_id = read_all("/proc/sys/kernel/random/boot_id")};
  if (!(fields >> identity.start_ticks)) return std::nullopt;
  return identity;
}

bool is_running(const ProcessIdentity& process) {
  return identify(process.pid) == process;
}

std::vector<std::string> arguments_of(const ProcessIdentity& process) {
  std::ifstream in("/proc/" + std::to_string(process.pid) + "/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(std::move(word));
  if (!is_running(process)) return {};
  return words;
}

void send_signal(const ProcessIdentity& process, int number, bool whole_group) {
  if (!is_running(process)) return;
  if (whole_group && ::getpgid(process.pid) == process.pid) ::kill(-process.pid, number);
  ::kill(process.pid, number);
}

nlohmann::json to_json(const ProcessIdentity& process) {
  return {{"pid", process.pid}, {"start_ticks", process.start_ticks}, {"boot_id", process.boot_id}};
}

std::optional<ProcessIdentity> identity_from_json(const nlohmann::json& value) {
  if (!value.is_object()) return std::nullopt;
  for (const char* key : {"pid", "start_ticks"}) {
    if (!value.contains(key) || !value[key].is_number_unsigned()) return std::nullopt;
  }
  if (!value.contains("boot_id") || !value["boot_id"].is_string()) return std::nullopt;
  return ProcessIdentity{.pid = value["pid"].get<pid_t>(),
                         .start_ticks = value["start_ticks"].get<std::uint64_t>(),
                         .boot_id = value["boot_id"].get<std::string>()};
}

}  // namespace det::cli
