#include "cli/stop_daemon.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

namespace det::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPollEvery{100};
constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::hours kLongestGrace{24};
constexpr std::chrono::seconds kAfterTasks{30};   // for the servers and the database
constexpr const char* kNoted = "agent/stops-by";  // by local/agent/pod_keeper.cc: seconds since 1970

// Until the latest end of what runs; zero where nothing was written down, or that time is over.
std::chrono::seconds grace_left(const fs::path& folder, const World& world) {
  std::ifstream in(folder / kNoted);
  std::int64_t latest = 0;
  if (!(in >> latest)) return {};
  const std::chrono::nanoseconds now = world.clock.wall_now().time_since_epoch();
  const auto left = std::chrono::seconds(latest) - std::chrono::duration_cast<std::chrono::seconds>(now);
  return std::clamp<std::chrono::seconds>(left, std::chrono::seconds(0), kLongestGrace);
}

}  // namespace

Task<bool> stop_daemon(World& world, fs::path folder, ProcessIdentity process) {
  std::error_code ignored;
  // Of another time; or of a stop that is under way, which notes it once.
  if (grace_left(folder, world).count() <= 0) fs::remove(folder / kNoted, ignored);
  send_signal(process, SIGTERM);
  auto deadline = world.clock.steady_now() + kPatience;
  bool is_told = false;
  while (is_running(process) && world.clock.steady_now() < deadline) {
    co_await world.clock.sleep_for(kPollEvery);
    const std::chrono::seconds left = grace_left(folder, world);
    if (left.count() > 0) deadline = std::max(deadline, world.clock.steady_now() + left + kAfterTasks);
    if (left > kPatience && !std::exchange(is_told, true)) {
      world.out << "Tasks may take " << left.count() << " s to end: their grace period." << std::endl;
    }
  }
  co_return !is_running(process);
}

Task<Status> end_left_pods(World& world, fs::path program, fs::path folder, fs::path log) {
  const auto child = start_child({program.string(), "local", "--data-dir", folder.string(), "--end-pods"}, log);
  DET_CO_TRY(child);
  const auto deadline = world.clock.steady_now() + kPatience;
  std::optional<int> code = exit_of(*child);
  while (!code && world.clock.steady_now() < deadline) {
    co_await world.clock.sleep_for(kPollEvery);
    code = exit_of(*child);
  }
  if (!code) ::kill(*child, SIGKILL);
  if (code == 0) co_return Status();
  co_return fail(ErrorCode::kInternal, "programs of tasks may still run: " + log.string() +
                                           " says which could not be ended. This command again tries again");
}

}  // namespace det::cli
