#include "proxy/targets.h"

#include <algorithm>
#include <array>

#include <boost/asio/ip/address.hpp>

namespace det::proxy {
namespace {

namespace ip = boost::asio::ip;

template <typename T>
bool has(const std::vector<T>& all, const T& one) {
  return std::ranges::find(all, one) != all.end();
}

// As the kernel would take it.
ip::address plain(const ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, address.to_v6());
  return address;
}

bool is_link_local(const ip::address& address) {
  if (address.is_v6()) return address.to_v6().is_link_local();
  const auto bytes = address.to_v4().to_bytes();
  return bytes[0] == 169 && bytes[1] == 254;
}

// Metadata and wire servers of clouds that are no link-local addresses: of Amazon (IPv6), Alibaba, Oracle and Azure.
bool is_metadata(const ip::address& address) {
  static const std::array<ip::address, 4> kKnown = {ip::make_address("fd00:ec2::254"),
                                                    ip::make_address("100.100.100.200"),
                                                    ip::make_address("192.0.0.192"), ip::make_address("168.63.129.16")};
  return std::ranges::find(kKnown, address) != kKnown.end();
}

bool is_nowhere(const ip::address& address) {
  if (address.is_unspecified() || address.is_multicast()) return true;
  return address.is_v4() && (address.to_v4().to_bytes()[0] == 0 || address.to_v4().to_bytes()[0] >= 240);
}

}  // namespace

Result<ip::tcp::endpoint> target_of(const store::ProxyService& service, const TargetRules& rules) {
  boost::system::error_code ec;
  const ip::address address = plain(ip::make_address(service.address, ec));
  if (ec || service.port < 1 || service.port > 65535 || (address.is_v6() && address.to_v6().scope_id() != 0)) {
    return fail(ErrorCode::kInvalidArgument, "service '" + service.id + "' has no address that can be reached");
  }
  const ip::tcp::endpoint target(address, static_cast<std::uint16_t>(service.port));
  const bool is_here = address.is_loopback();
  const bool is_own = is_here && has(rules.own_ports, service.port);
  if (is_nowhere(address) || is_link_local(address) || is_metadata(address) ||
      (is_here && !rules.shares_host_network) || is_own || has(rules.forbidden, target)) {
    return fail(ErrorCode::kPermissionDenied, "service '" + service.id + "' is published at an address of no pod");
  }
  return target;
}

}  // namespace det::proxy
