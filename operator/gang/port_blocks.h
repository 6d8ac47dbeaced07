#pragma once

// Which ports a run has where all pods share one network (host_network_ports of master.yaml): a block of eight, below
// the range the kernel takes ports for outgoing connections from. Pure.

#include <cstdint>
#include <string_view>
#include <vector>

namespace det::op {

struct PortBlocks {
  int first = 0;  // port
  int count = 0;  // of blocks
};

inline constexpr PortBlocks kTrialPorts = {.first = 14'000, .count = 2'000};
inline constexpr PortBlocks kTaskPorts = {.first = 30'000, .count = 300};

// The first port of a block for the workload of that number. `taken`: the first ports of blocks of runs that are open;
// none of them, unless every block is taken. Another cluster's operator may run its pods on the same machine: each
// cluster begins somewhere else.
[[nodiscard]] int port_block(PortBlocks blocks, std::string_view cluster_id, std::int64_t number,
                             const std::vector<int>& taken);

}  // namespace det::op
