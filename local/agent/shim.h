#pragma once

// The small process between the node agent and one container. It outlives the agent: it owns the container's output,
// and writes its log and its exit status into the attempt's folder, where a later agent finds them. Files it leaves
// there:
//   exit.json.new as large as exit.json will be, which it becomes: first of all
//   shim.json     {"pid", "start_time", "boot_id"}  before the sandbox is made
//   started.json  {"started_at"}                     once the sandbox runs
//   log           one line per line of output: "TIME F text" (local/agent/container_log.h)
//   log.1         what came before that
//   exit.json     {"exit_code", "finished_at", "error"?}  last of all
// SIGTERM is passed on to the container's first process as soon as that has a handler for it (before, it would be
// lost), SIGUSR1 kills it; if the shim dies, so does the container.

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "local/agent/sandbox_plan.h"

namespace det::local {

inline constexpr std::int64_t kLogLimit = std::int64_t{10} << 20;  // kubelet's

// Everything a shim is told. It travels through an unlinked file, never by command line: it holds the environment.
struct ShimSpec {
  std::string folder;  // the attempt's scratch folder
  std::string bwrap = "bwrap";
  std::vector<Overlay> overlays;
  std::vector<StagedMount> staged = {};
  std::vector<std::string> arguments;
  std::vector<std::string> command;
  std::vector<std::string> cgroup_procs;           // files that the container's first process writes itself into
  std::optional<std::int64_t> data_limit;          // bytes, where there is no cgroup for memory
  std::optional<std::int64_t> process_limit = {};  // processes and threads, where there is no cgroup for them
  std::int64_t log_limit = kLogLimit;              // bytes; then the log becomes log.1 and a new one begins
};
[[nodiscard]] nlohmann::json to_json(const ShimSpec& spec);
[[nodiscard]] Result<ShimSpec> shim_spec_from_json(const nlohmann::json& json);

// The descriptors a shim is started with.
inline constexpr int kShimSpecFd = 3;
inline constexpr int kShimStartedFd = 4;  // one byte is written when the container runs; closed in any case

// The signals a shim reads when it is ready to; it must be started with them blocked.
[[nodiscard]] sigset_t shim_signals();

// The body of `det-operator node-agent-shim`. Returns the process's exit status.
int shim_main();

// Identity of a process that survives reuse of its number: field 22 of /proc/PID/stat. nullopt when it is gone.
[[nodiscard]] std::optional<std::uint64_t> process_start_time(int pid);
[[nodiscard]] std::string boot_id();

// Writes `text` to `path` so that a reader sees all of it or nothing.
[[nodiscard]] Status write_file_atomically(const std::string& path, const std::string& text, unsigned mode);

}  // namespace det::local
