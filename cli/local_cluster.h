#pragma once

// `det deploy local`: det-operator as a daemon of this machine with everything in one data folder. Belongs to the io
// thread.

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "cli/process.h"
#include "cli/world.h"

namespace det::cli {

inline constexpr int kDefaultPort = 8080;

struct UpOptions {
  std::string data_folder;  // empty: the default
  std::optional<int> port;  // nothing: kDefaultPort
  std::optional<int> slots;
  std::optional<bool> no_gpu;
  std::string python;         // folder of the environment that trials run in; empty: as det-operator chooses
  std::string master_config;  // master.yaml; empty: none
  bool blank_passwords = false;
  std::vector<std::string> allowed_hosts;
  int timeout_seconds = 300;  // until it answers
};

struct DownOptions {
  std::string data_folder;
  bool delete_data = false;
};

struct DaemonLogOptions {
  std::string data_folder;
  bool follow = true;
};

// root: /var/lib/det-operator/local; others: $XDG_STATE_HOME or ~/.local/state, below it det-operator/local.
[[nodiscard]] std::filesystem::path default_data_folder(const World& world);
// det-operator beside this program, else the first on PATH.
[[nodiscard]] std::optional<std::filesystem::path> find_operator(const World& world);

// Starts it and waits until it answers; success when it runs already, with a warning of options that it lacks.
Task<Result<int>> cluster_up(Invocation in, UpOptions options);
// Asks it to end, waits up to a minute, then kills it; success when it does not run.
Task<Result<int>> cluster_down(Invocation in, DownOptions options);
// Its log so far, and while it runs what is added.
Task<Result<int>> cluster_logs(Invocation in, DaemonLogOptions options);

}  // namespace det::cli
