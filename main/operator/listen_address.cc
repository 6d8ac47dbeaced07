#include "main/operator/listen_address.h"

#include <charconv>
#include <utility>

namespace det::main {

std::optional<ListenAddress> split_listen_address(const std::string& text, std::string default_host) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  ListenAddress address{.host = std::move(default_host)};
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (!host.empty()) address.host = host == "localhost" ? "127.0.0.1" : host;
  const char* first = text.data() + colon + 1;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, address.port);
  if (error != std::errc() || end != last || first == last) return std::nullopt;
  return address;
}

std::string host_and_port(const std::string& host, std::uint16_t port) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace det::main
