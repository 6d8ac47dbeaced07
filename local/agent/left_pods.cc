#include "local/agent/left_pods.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "local/agent/shim.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::chrono::milliseconds kPause{20};
constexpr std::chrono::seconds kPatience{10};

struct Left {
  std::string attempt;  // its folder
  int pid = 0;
  std::uint64_t start_time = 0;

  [[nodiscard]] bool runs() const { return process_start_time(pid) == start_time; }
  [[nodiscard]] std::string exit_file() const { return attempt + "/exit.json"; }
};

// The folders in `folder`; those that it links to are none of it.
std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->symlink_status(ignored).type() == fs::file_type::directory) found.push_back(entry->path().string());
  }
  return found;
}

// Discarded when there is none, or no file.
json read_plain_file(const std::string& path) {
  constexpr std::size_t kLongest = 4096;
  std::string text(kLongest, '\0');
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat info{};
  const bool is_plain = file >= 0 && ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
  const auto size = is_plain ? ::read(file, text.data(), text.size()) : -1;
  if (file >= 0) ::close(file);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return json::parse(text, nullptr, false);
}

// The shim of an attempt, if that very process still runs.
std::optional<Left> find_left(const std::string& attempt) {
  const json shim = read_plain_file(attempt + "/shim.json");
  if (!shim.is_object() || !shim.contains("pid") || !shim["pid"].is_number_integer()) return std::nullopt;
  if (!shim.contains("start_time") || !shim["start_time"].is_number_unsigned()) return std::nullopt;
  if (!shim.contains("boot_id") || shim["boot_id"] != boot_id()) return std::nullopt;
  const Left left{
      .attempt = attempt, .pid = shim["pid"].get<int>(), .start_time = shim["start_time"].get<std::uint64_t>()};
  if (left.pid <= 0 || !left.runs()) return std::nullopt;
  return left;
}

// Only where shims put their files. Deeper there is what pods have written.
std::vector<Left> find_all(const std::string& state_folder) {
  std::vector<Left> found;
  for (const std::string& pod : folders_in(state_folder + "/pods")) {
    for (const std::string& container : folders_in(pod + "/containers")) {
      for (const std::string& attempt : folders_in(container)) {
        if (auto left = find_left(attempt)) found.push_back(std::move(*left));
      }
    }
  }
  return found;
}

// Whether its container was still running when it was told to end.
bool end_one(const Left& left) {
  // The descriptor first, then the identity again: the number cannot change its meaning in between.
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, left.pid, 0));
  if (descriptor < 0) return false;
  const bool has_ended = fs::exists(left.exit_file());
  if (left.runs()) ::syscall(SYS_pidfd_send_signal, descriptor, SIGUSR1, nullptr, 0);
  ::close(descriptor);
  return !has_ended;
}

// That it was killed here is no failure of its program. Without the file the next agent says that nobody knows how it
// ended.
void forget_kill(const Left& left) {
  constexpr int kKilled = 128 + SIGKILL;
  const json exit = read_plain_file(left.exit_file());
  std::error_code ignored;
  if (exit.is_object() && exit.value("exit_code", json()) == kKilled) fs::remove(left.exit_file(), ignored);
}

}  // namespace

LeftPods end_left_pods(const std::string& state_folder) {
  const std::vector<Left> found = find_all(state_folder);
  std::vector<Left> ended;
  for (const Left& left : found) {
    if (end_one(left)) ended.push_back(left);
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (const Left& left : found) {
    while (left.runs() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(kPause);
  }
  for (const Left& left : ended) forget_kill(left);
  const auto left = std::ranges::count_if(found, &Left::runs);
  return {.found = static_cast<int>(found.size()), .left = static_cast<int>(left)};
}

}  // namespace det::local
