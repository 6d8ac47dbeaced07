#include "proxy/seals.h"

#include <array>
#include <utility>

#include "base/encoding.h"
#include "proxy/response_head.h"

namespace det::proxy {
namespace {

std::string signed_text(SealKind kind, std::string_view text) {
  return std::string(kind == SealKind::kTicket ? "ticket\n" : "cookie\n").append(text);
}

}  // namespace

std::string Seals::make(const Seal& seal) const {
  const std::string text = seal.service + "\n" + seal.session + "\n" + seal.token_hash + "\n" + seal.api_origin + "\n" +
                           seal.nonce + "\n" + std::to_string(seal.expires_at.time_since_epoch().count());
  return hex_encode(text) + "." + hmac_sha256_hex(key_, signed_text(seal.kind, text));
}

std::optional<Seal> Seals::read(std::string_view text, SealKind kind, WallTime now) const {
  const auto dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto plain = hex_decode(text.substr(0, dot));
  if (!plain) return std::nullopt;
  if (!is_same_secret(text.substr(dot + 1), hmac_sha256_hex(key_, signed_text(kind, *plain)))) return std::nullopt;
  Seal seal{.kind = kind};
  std::array<std::string, 6> parts;
  std::string_view left = *plain;
  for (std::string& part : parts) {
    const auto end = left.find('\n');
    part = left.substr(0, end);
    left = end == std::string_view::npos ? std::string_view() : left.substr(end + 1);
  }
  const auto expires = parse_length(parts[5]);
  if (!expires || !left.empty()) return std::nullopt;
  seal.service = std::move(parts[0]);
  seal.session = std::move(parts[1]);
  seal.token_hash = std::move(parts[2]);
  seal.api_origin = std::move(parts[3]);
  seal.nonce = std::move(parts[4]);
  seal.expires_at = WallTime(std::chrono::microseconds(static_cast<std::int64_t>(*expires)));
  if (seal.expires_at <= now) return std::nullopt;
  return seal;
}

}  // namespace det::proxy
