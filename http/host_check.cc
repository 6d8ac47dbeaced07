#include "http/host_check.h"

#include <algorithm>
#include <cctype>

#include <boost/asio/ip/address.hpp>
#include <nlohmann/json.hpp>

#include "base/lower_case.h"

namespace det::http {
namespace {

namespace ip = boost::asio::ip;

// Lower case, without port, brackets and the dot of the DNS root.
std::string host_of(std::string_view authority) {
  if (authority.starts_with('[')) {
    authority = authority.substr(1, authority.find(']') - 1);
  } else if (const auto colon = authority.find(':'); colon != std::string_view::npos) {
    authority = authority.substr(0, colon);
  }
  if (authority.ends_with('.')) authority.remove_suffix(1);
  return lower_case(std::string(authority));
}

Response refused(int status, const std::string& message) {
  const nlohmann::json body = {{"message", message}};
  return Response::json(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), status);
}

}  // namespace

HostCheck::HostCheck(std::vector<std::string> names, bool any_address)
    : names_(std::move(names)), any_address_(any_address) {
  std::ranges::transform(names_, names_.begin(), [](const std::string& name) {
    return host_of(name.find(':') == name.rfind(':') ? name : "[" + name + "]");
  });
}

bool HostCheck::knows(std::string_view authority) const {
  const std::string host = host_of(authority);
  if (host == "localhost" || std::ranges::find(names_, host) != names_.end()) return true;
  boost::system::error_code not_one;
  const ip::address address = ip::make_address(host, not_one);
  return !not_one && (any_address_ || address.is_loopback());
}

std::optional<Response> HostCheck::refusal(const Request& request) const {
  std::string_view host;
  int hosts = 0;
  for (const auto& [name, value] : request.headers.fields()) {
    const bool is_host = std::ranges::equal(name, std::string_view("host"),
                                            [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
    if (!is_host) continue;
    host = value;
    ++hosts;
  }
  if (hosts > 1) return refused(400, "a request has one Host");
  if (hosts == 1 && !knows(host)) {
    return refused(421, "this server is not " + std::string(host) +
                            ": ask for it by localhost or its address, or start it with --allowed-host " +
                            host_of(host));
  }
  const auto origin = request.headers.find("Origin");
  if (!origin) return std::nullopt;
  const auto scheme = origin->find("://");
  if (scheme != std::string_view::npos && knows(origin->substr(scheme + 3))) return std::nullopt;
  return refused(403, "a page of " + std::string(*origin) + " may not send requests here");
}

}  // namespace det::http
