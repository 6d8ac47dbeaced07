#include "local/python_check.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace det::local {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{20};
constexpr std::chrono::milliseconds kPollEvery{5};
constexpr int kMissing = 3;
// Importing it takes a second and more; that it is there does not.
constexpr const char* kQuestion =
    "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec('determined') else 3)";

std::string program_in(const std::string& folder) {
  if (folder.empty()) return "python3";
  std::error_code ignored;
  const std::string plain = folder + "/bin/python";
  return fs::exists(plain, ignored) ? plain : folder + "/bin/python3";
}

// The exit code; -1 when it could not be started or did not end, with the reason in `why`.
int run(const std::string& program, std::string& why) {
  // Isolated: a folder `determined` beside whoever starts this is none.
  std::vector<std::string> words = {program, "-I", "-c", kQuestion};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files{};
  posix_spawn_file_actions_init(&files);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0);
  }
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, program.c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    why = std::strerror(failed);
    return -1;
  }
  int status = 0;
  const auto deadline = Clock::now() + kPatience;
  for (;;) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) break;
    if ((ended < 0 && errno != EINTR) || Clock::now() >= deadline) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      why = "it did not answer within 20 s";
      return -1;
    }
    std::this_thread::sleep_for(kPollEvery);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Status check_harness_package(const std::string& folder, const std::string& version) {
  const std::string program = program_in(folder);
  std::string why;
  const int code = run(program, why);
  if (code == 0) return {};
  std::string text = program + " cannot be run";
  if (code == kMissing) {
    text = program + " has no package 'determined', which every trial needs";
  } else if (code >= 0) {
    text += ": it ended with exit code " + std::to_string(code);
  } else {
    text += ": " + why;
  }
  return fail(ErrorCode::kFailedPrecondition,
              text +
                  ". Make an environment that has it and name it with --python:\n  python3 -m venv train && "
                  "train/bin/pip install determined==" +
                  version + " && det deploy local cluster-up --python train");
}

}  // namespace det::local
