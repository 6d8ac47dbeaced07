#pragma once

// Passwords as Determined keeps them: bcrypt of the hash that clients send. Slow on purpose: callers use a pool.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace det::api {

// What a client sends for `password`: hex SHA-512 of a fixed salt and the password; empty stays empty.
[[nodiscard]] std::string client_hash(std::string_view password);

// bcrypt; nothing for the blank password. kInternal when the system's libcrypt cannot do it.
[[nodiscard]] Result<std::optional<std::string>> hash_password(const std::string& client_hash, int cost);

// The cost of a bcrypt hash; 0 for another text.
[[nodiscard]] int cost_of(const std::string& stored);

// The blank password matches only a user without a hash, and the other way round.
[[nodiscard]] bool matches(const std::string& client_hash, const std::optional<std::string>& stored);

}  // namespace det::api
