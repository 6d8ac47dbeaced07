#pragma once

// IP networks, and which addresses belong to the open internet. Pure.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace det {

// "10.0.0.0/8", "fd00::/8"; one address is a network of itself.
class IpNetwork {
 public:
  // kInvalidArgument for what is no network.
  [[nodiscard]] static Result<IpNetwork> parse(std::string_view text);
  // `address` in text form; what is none is in no network. IPv4 addresses written as IPv6 ones (::ffff:10.0.0.1) count
  // as what they are.
  [[nodiscard]] bool contains(std::string_view address) const;

  bool operator==(const IpNetwork&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};  // an IPv4 address as ::ffff:a.b.c.d
  int prefix_ = 128;                      // bits of these
};

// Whether everybody may be meant by it: not this machine, a private network, a link (where clouds have their metadata),
// a multicast group, or an address that only carries another (NAT64, 6to4). False for what is no address.
[[nodiscard]] bool is_public_address(std::string_view address);

}  // namespace det
