#pragma once

// The Node object of this agent: made at start, kept Ready by a heartbeat and a Lease. Belongs to the io thread.

#include <cstdint>
#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/log.h"
#include "k8sclient/client.h"
#include "local/agent/container_env.h"

namespace det::local {

struct NodeShape {
  std::map<std::string, std::string> labels;
  int slots = 1;
  int gpus = 0;
  std::int64_t host_cpus = 1;
  std::int64_t memory_bytes = 0;
  std::int64_t disk_bytes = 0;
  std::uint16_t log_port = 0;
};

// Reads CPUs, memory and the free space of `state_folder`'s disk.
[[nodiscard]] NodeShape read_node_shape(const std::string& state_folder);

// The Node to create, and its status. Pure. Its cpu is the host's or the number of slots, whichever is more, so that
// `slots` pods of one CPU each always fit; the slots offered also stand in the label det-operator.dev/cpu-slots.
[[nodiscard]] nlohmann::json node_object(const NodeFacts& node, const NodeShape& shape);
[[nodiscard]] nlohmann::json node_status(const NodeFacts& node, const NodeShape& shape, bool ready, WallTime since,
                                         WallTime now);

class NodeRegistration {
 public:
  NodeRegistration(k8s::Client& client, Clock& clock, NodeFacts node, NodeShape shape);

  // Creates the Node, or puts our labels on the one that is there, and reports it Ready.
  Task<Status> announce();
  // Renews the Lease every 10 s and the status every minute, for ever; ends by cancellation.
  Task<void> run();
  // Reports the node NotReady: it is going away.
  Task<Status> retire();

 private:
  Task<Status> report(bool ready);
  Task<Status> renew_lease();

  k8s::Client& client_;
  Clock& clock_;
  NodeFacts node_;
  NodeShape shape_;
  Logger log_;
  WallTime since_;
};

}  // namespace det::local
