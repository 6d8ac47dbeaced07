#include "base/ip_network.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace det {
namespace {

using Bytes = std::array<std::uint8_t, 16>;

constexpr int kBitsOfByte = 8;
constexpr int kMappedBits = 96;  // before an IPv4 address that is written as an IPv6 one

// IANA's registries of special-purpose addresses, and multicast.
constexpr const char* kNotPublic[] = {
    "0.0.0.0/8",     "10.0.0.0/8",      "100.64.0.0/10",  "127.0.0.0/8",    "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24",    "192.0.2.0/24",   "192.88.99.0/24", "192.168.0.0/16",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",    "240.0.0.0/4",
    "2001::/23",     "2001:db8::/32",   "2002::/16",      "3fff::/20",      "::ffff:0:0:0/96",
};
constexpr const char* kPublic[] = {"0.0.0.0/0", "2000::/3"};

std::optional<Bytes> parse_address(std::string_view text) {
  const std::string copy(text);
  Bytes bytes{};
  in_addr v4{};
  if (inet_pton(AF_INET, copy.c_str(), &v4) == 1) {
    bytes[10] = bytes[11] = 0xff;
    const auto* raw = reinterpret_cast<const std::uint8_t*>(&v4);
    std::copy(raw, raw + sizeof v4, bytes.begin() + kMappedBits / kBitsOfByte);
    return bytes;
  }
  if (inet_pton(AF_INET6, copy.c_str(), bytes.data()) == 1) return bytes;
  return std::nullopt;
}

bool is_in(std::string_view address, const char* network) {
  const auto parsed = IpNetwork::parse(network);
  return parsed && parsed->contains(address);
}

}  // namespace

Result<IpNetwork> IpNetwork::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto wrong = [text] {
    return fail(ErrorCode::kInvalidArgument,
                "'" + std::string(text) + "' is no network such as 10.0.0.0/8 or fd00::/8");
  };
  const auto bytes = parse_address(text.substr(0, slash));
  if (!bytes) return wrong();
  const int before = text.substr(0, slash).find(':') == std::string_view::npos ? kMappedBits : 0;
  IpNetwork network;
  network.bytes_ = *bytes;
  if (slash == std::string_view::npos) return network;
  const std::string_view digits = text.substr(slash + 1);
  int prefix = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
  if (error != std::errc() || end != digits.data() + digits.size() || prefix < 0 || prefix > 128 - before) {
    return wrong();
  }
  network.prefix_ = prefix + before;
  return network;
}

bool IpNetwork::contains(std::string_view address) const {
  const auto bytes = parse_address(address);
  if (!bytes) return false;
  const auto whole = static_cast<std::size_t>(prefix_ / kBitsOfByte);
  if (!std::equal(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(whole), bytes_.begin())) return false;
  const int rest = prefix_ % kBitsOfByte;
  if (rest == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xff << (kBitsOfByte - rest));
  return ((*bytes)[whole] & mask) == (bytes_[whole] & mask);
}

bool is_public_address(std::string_view address) {
  const auto within = [address](const char* network) { return is_in(address, network); };
  return std::ranges::any_of(kPublic, within) && std::ranges::none_of(kNotPublic, within);
}

}  // namespace det
