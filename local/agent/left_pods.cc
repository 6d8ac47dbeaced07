#include "local/agent/left_pods.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "local/agent/shim.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPause{20};
constexpr std::chrono::seconds kPatience{10};

struct Left {
  int pid = 0;
  std::uint64_t start_time = 0;

  [[nodiscard]] bool runs() const { return process_start_time(pid) == start_time; }
};

// The identity in a shim.json, if that very process still runs.
std::optional<Left> read_left(const fs::path& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto shim = nlohmann::json::parse(text, nullptr, false);
  if (!shim.is_object() || shim.value("boot_id", std::string()) != boot_id()) return std::nullopt;
  const Left left{.pid = shim.value("pid", 0), .start_time = shim.value("start_time", std::uint64_t{0})};
  if (left.pid <= 0 || !left.runs()) return std::nullopt;
  return left;
}

}  // namespace

int end_left_pods(const std::string& state_folder) {
  std::vector<Left> found;
  std::error_code error;
  const auto quiet = fs::directory_options::skip_permission_denied;
  for (auto entry = fs::recursive_directory_iterator(state_folder + "/pods", quiet, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().filename() != "shim.json") continue;
    if (auto left = read_left(entry->path())) found.push_back(*left);
  }
  for (const Left& left : found) {
    // The descriptor first, then the identity again: the number cannot change its meaning in between.
    const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, left.pid, 0));
    if (descriptor < 0) continue;
    if (left.runs()) ::syscall(SYS_pidfd_send_signal, descriptor, SIGUSR1, nullptr, 0);
    ::close(descriptor);
  }
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (const Left& left : found) {
    while (left.runs() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kPause);
  }
  return static_cast<int>(found.size());
}

}  // namespace det::local
