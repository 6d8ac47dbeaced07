#pragma once

// What a server's requests took of the io thread, by route, for its metrics. Values.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace det::http {

// Everybody waits while one request computes.
inline constexpr double kLongOnIoThread = 0.02;  // seconds

struct RouteLoad {
  std::uint64_t requests = 0;
  std::uint64_t long_requests = 0;  // above kLongOnIoThread
  double seconds = 0;               // CPU time of the io thread
  double longest = 0;               // step between two waits, in seconds
};

struct ServerLoad {
  std::map<std::string, RouteLoad> routes;  // by "GET /api/v1/trials/{id}"
  std::size_t connections = 0;
  std::size_t body_bytes = 0;
  std::uint64_t connections_closed = 0;   // of strangers, to make room for newer ones
  std::uint64_t connections_refused = 0;  // for which there was no room
  std::uint64_t bodies_refused = 0;       // for which there was no room
};

}  // namespace det::http
