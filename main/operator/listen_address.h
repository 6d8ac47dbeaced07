#pragma once

// HOST:PORT as the programs' --listen takes it. Pure.

#include <cstdint>
#include <optional>
#include <string>

namespace det::main {

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
};

// "host:port", "[v6]:port" or ":port" with `default_host`; localhost is 127.0.0.1. nullopt for anything else.
[[nodiscard]] std::optional<ListenAddress> split_listen_address(const std::string& text, std::string default_host);

// "[::1]:8080": as it stands in a URL.
[[nodiscard]] std::string host_and_port(const std::string& host, std::uint16_t port);

// 127.0.0.0/8, ::1 or localhost.
[[nodiscard]] bool is_loopback(const std::string& host);

}  // namespace det::main
