#pragma once

// What a browser carries to show that it was let in: a ticket in a URL, exchanged once for a cookie. Signed, not kept:
// all replicas share the key. A seal alone lets nobody in: whether what it stands for is still good is asked each time.
// Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/wall_time.h"

namespace det::proxy {

enum class SealKind : std::uint8_t { kTicket, kCookie };

struct Seal {
  SealKind kind = SealKind::kTicket;
  std::string service;
  std::string session;     // hash of the login's token; empty: it came with the notebook's token
  std::string token_hash;  // hash of the notebook's token; empty: it came with a login
  std::string api_origin;  // "http://localhost:8080": where to log in again; may be empty
  std::string nonce;
  WallTime expires_at;

  bool operator==(const Seal&) const = default;
};

class Seals {
 public:
  explicit Seals(std::string key) : key_(std::move(key)) {}

  // Letters, digits, '.' and '-' only. No part holds a line break.
  [[nodiscard]] std::string make(const Seal& seal) const;
  // Nothing for what was not made with this key, is of another kind, or ended before `now`.
  [[nodiscard]] std::optional<Seal> read(std::string_view text, SealKind kind, WallTime now) const;

 private:
  std::string key_;
};

}  // namespace det::proxy
