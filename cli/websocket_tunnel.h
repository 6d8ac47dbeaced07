#pragma once

// TCP through the master's proxy: bytes in binary messages of a websocket, to a task's port that speaks no HTTP.
// Belongs to the io thread.

#include <cstdint>
#include <memory>
#include <string>

#include "base/http_client.h"
#include "base/result.h"
#include "base/task.h"

namespace det::cli {

struct TunnelTarget {
  std::string master_url;  // canonical
  std::string service;     // task id, ":" and a port where it is not the task's only one
  std::string token;       // empty: none
  std::shared_ptr<const TlsConfig> tls;
};

// Carries what `input` says to the service and what the service says to `output`, until the service has nothing more to
// say or nobody reads `output`. The descriptors stay the caller's. kUnavailable when the master cannot be reached or
// the connection is lost, otherwise what the master answers (kNotFound, kUnauthenticated...).
Task<Status> run_tunnel(TunnelTarget target, int input, int output);

// Listens on `port` of the loopback interface and gives each connection a tunnel of its own, until it is cancelled.
// What goes wrong with one of them goes to `on_error`.
Task<Status> serve_tunnels(TunnelTarget target, std::uint16_t port, std::function<void(const Error&)> on_error);

}  // namespace det::cli
