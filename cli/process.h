#pragma once

// A program in the background that outlives the command that started it, known by pid, start time and boot: a pid that
// the system has given to somebody else is never taken for it. Linux. Any thread.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>
#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace det::cli {

struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // since boot, field 22 of /proc/<pid>/stat
  std::string boot_id;

  bool operator==(const ProcessIdentity&) const = default;
};

// Starts argv[0] in a session of its own, without terminal, with stdout and stderr appended to `log`.
[[nodiscard]] Result<ProcessIdentity> start_daemon(const std::vector<std::string>& argv,
                                                   const std::filesystem::path& log);
// The same for a program of that name, on PATH, that is let go: what it prints goes nowhere. kNotFound when there is
// none.
[[nodiscard]] Status start_program(const std::vector<std::string>& argv);
// As start_daemon, for one that is waited for with exit_of().
[[nodiscard]] Result<pid_t> start_child(const std::vector<std::string>& argv, const std::filesystem::path& log);
// What the child ended with, 128 + the number where a signal ended it; nothing while it runs. Once for each child.
[[nodiscard]] std::optional<int> exit_of(pid_t child);
// Who has this pid now; nothing when nobody has, or only a dead process that waits for its parent.
[[nodiscard]] std::optional<ProcessIdentity> identify(pid_t pid);
[[nodiscard]] bool is_running(const ProcessIdentity& process);
// The words of its command line; none when it has ended.
[[nodiscard]] std::vector<std::string> arguments_of(const ProcessIdentity& process);
// Sends `number` to the process; with `whole_group` to its group as well. Nothing happens when it has ended.
void send_signal(const ProcessIdentity& process, int number, bool whole_group = false);

[[nodiscard]] nlohmann::json to_json(const ProcessIdentity& process);
[[nodiscard]] std::optional<ProcessIdentity> identity_from_json(const nlohmann::json& value);

}  // namespace det::cli
