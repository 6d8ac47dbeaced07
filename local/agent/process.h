#pragma once

// A container attempt as the agent holds it: a shim process (local/agent/shim.h) that was started now, or one that an
// earlier agent left behind. Belongs to the io thread. Dropping the object neither stops nor waits for the process.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "local/agent/shim.h"

namespace det::local {

struct ContainerExit {
  int exit_code = 0;
  WallTime finished_at;
  // Why the container never ran, or why its end is not known; empty when it ran and ended by itself.
  std::string error;
  bool is_start_error = false;
};

class ContainerProcess {
 public:
  // Starts `shim_command` (for example {"/proc/self/exe", "node-agent-shim"}) in a session of its own with `spec`.
  static Result<std::unique_ptr<ContainerProcess>> start(asio::any_io_executor executor,
                                                         const std::vector<std::string>& shim_command,
                                                         const ShimSpec& spec);
  // The attempt in `folder`, running or ended; null when none was ever started there.
  static std::unique_ptr<ContainerProcess> adopt(asio::any_io_executor executor, const std::string& folder);
  ~ContainerProcess();
  ContainerProcess(const ContainerProcess&) = delete;
  ContainerProcess& operator=(const ContainerProcess&) = delete;

  // Returns when the container runs (true) or has ended without running (false).
  Task<bool> wait_started();
  // Returns when the shim has gone; the exit as it left it on disk, or 137 with an error when it left none.
  Task<ContainerExit> wait_exit();

  void terminate();  // SIGTERM to the container's first process
  void kill();       // SIGKILL to all of them

  // False once the shim is known to have gone.
  [[nodiscard]] bool is_alive() const { return pidfd_.is_open(); }
  // Since when it runs; nullopt before it does.
  [[nodiscard]] std::optional<WallTime> started_at() const;

 private:
  ContainerProcess(asio::any_io_executor executor, std::string folder);
  void signal(int number);

  std::string folder_;
  asio::posix::stream_descriptor pidfd_;    // closed: the shim has gone
  asio::posix::stream_descriptor started_;  // closed: adopted
  bool is_child_ = false;
};

}  // namespace det::local
