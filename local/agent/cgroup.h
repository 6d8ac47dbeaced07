#pragma once

// Limits of memory, CPU and processes by control groups, v1 or v2, where this user may make them. Blocking but brief
// (a few writes to the kernel); any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "local/agent/pod_spec_view.h"

namespace det::local {

class Cgroups {
 public:
  // Finds out what `root` ("/sys/fs/cgroup") offers; no group is made yet. Group names begin with `prefix`.
  static Cgroups detect(std::string root, std::string prefix);

  [[nodiscard]] bool limits_memory() const { return !memory_.empty(); }
  [[nodiscard]] bool limits_processes() const { return !pids_.empty(); }
  // Makes the group of one container and returns the cgroup.procs files to join; none when nothing is limited.
  [[nodiscard]] Result<std::vector<std::string>> create(const std::string& id, const Quantities& limits,
                                                        std::int64_t processes) const;
  // True when the kernel killed a process of the group for its memory.
  [[nodiscard]] bool was_out_of_memory(const std::string& id) const;
  void remove(const std::string& id) const;

 private:
  [[nodiscard]] std::string group(const std::string& parent, const std::string& id) const {
    return parent + "/" + prefix_ + id;
  }
  std::string prefix_;
  bool is_v2_ = false;
  std::string memory_;  // folder of the hierarchy; empty: not available
  std::string cpu_;
  std::string pids_;
};

}  // namespace det::local
