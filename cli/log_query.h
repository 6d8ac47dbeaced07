#pragma once

// Logs of trials and tasks: the options of `trial logs`, `task logs` and the like, and the printing. Belongs to the io
// thread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/login.h"
#include "cli/program.h"

namespace det::cli {

// Whose log it is.
struct LogSource {
  std::string path;   // of the API
  std::string owner;  // "Trial"
  std::string again;  // the command that follows it
};
[[nodiscard]] LogSource trial_log(std::int64_t trial);
[[nodiscard]] LogSource task_log(const std::string& task);

struct LogOptions {
  bool follow = false;
  std::optional<std::int64_t> head;
  std::optional<std::int64_t> tail;
  std::vector<std::string> allocations;  // only of tasks
  std::vector<std::string> agents;
  std::vector<std::string> containers;
  std::vector<std::string> ranks;
  std::vector<std::string> sources;
  std::vector<std::string> stdtypes;
  std::string level;
  std::string before;
  std::string after;
  bool as_json = false;
};

void add_log_options(CLI::App* leaf, LogOptions& options);
// The same, and --allocation-id.
void add_task_log_options(CLI::App* leaf, LogOptions& options);

// The query of /api/v1/trials/{id}/logs and /api/v1/tasks/{id}/logs.
[[nodiscard]] Query log_query(const LogOptions& options);

// Prints the log, and at its end how to see it again. While it follows, a lost connection or a server that restarts is
// waited for, about a minute each time, and nothing is printed twice.
Task<Status> print_log(World& world, MasterClient client, LogSource source, LogOptions options);

}  // namespace det::cli
