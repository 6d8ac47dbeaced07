#pragma once

// JSON Web Signatures in compact form (RFC 7515) and the public keys that check them (RFC 7517). RS256 and ES256 work
// and nothing else: no "none", and no algorithm whose key is a shared secret, which a public key could be taken for.
// Which algorithm a key is for, the key says, not the token. Keys that a token brings along or points to are not looked
// at. Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct evp_pkey_st;

namespace det {

enum class JwsAlgorithm : std::uint8_t { kRs256, kEs256 };

struct Jws {
  JwsAlgorithm algorithm = JwsAlgorithm::kRs256;
  std::string key_id;   // empty: it names none
  std::string payload;  // decoded; nobody's word until JwsKeys::verify said so
  std::string signed_text;
  std::string signature;
};

// The longest token that is read, in bytes.
inline constexpr std::size_t kLongestJws = std::size_t{64} << 10;

// kInvalidArgument says what is wrong with its form, kPermissionDenied names an algorithm that does not work.
[[nodiscard]] Result<Jws> parse_jws(std::string_view compact);

class JwsKeys {
 public:
  // A JWK Set. Keys that are for something else, that are weak (RSA below 2048 bits) or that make no sense are left
  // out, as RFC 7517 has it. kInvalidArgument for what is no set of keys.
  [[nodiscard]] static Result<JwsKeys> parse(std::string_view json);

  // Whether a key could have signed it: kNotFound from verify() means that there is none.
  [[nodiscard]] bool has_key_for(const Jws& jws) const;
  // kNotFound when no key has the id that it names and is for its algorithm, kPermissionDenied when none of these made
  // the signature.
  [[nodiscard]] Status verify(const Jws& jws) const;
  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  struct Key {
    JwsAlgorithm algorithm;
    std::string id;
    std::shared_ptr<evp_pkey_st> key;
  };
  [[nodiscard]] std::vector<const Key*> candidates(const Jws& jws) const;

  std::vector<Key> keys_;
};

}  // namespace det
