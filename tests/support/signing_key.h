#pragma once

// Keys of a made-up OpenID Connect provider, and what it signs with them; and, for attacks, what nobody should sign.

#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

struct evp_pkey_st;

namespace det::test {

class SigningKey {
 public:
  [[nodiscard]] static SigningKey rsa(int bits = 2048);
  [[nodiscard]] static SigningKey ec(const char* curve = "P-256");

  // The public key as a provider publishes it.
  [[nodiscard]] nlohmann::json jwk(const std::string& id) const;
  // The public key as PEM, which a careless reader takes for a shared secret.
  [[nodiscard]] std::string public_pem() const;
  [[nodiscard]] std::string sign(const nlohmann::json& header, const nlohmann::json& claims) const;

 private:
  explicit SigningKey(evp_pkey_st* key);
  std::shared_ptr<evp_pkey_st> key_;
  bool is_rsa_ = false;
};

// header.claims.signature of these three.
[[nodiscard]] std::string compact_token(const nlohmann::json& header, const nlohmann::json& claims,
                                        std::string_view signature);

}  // namespace det::test
