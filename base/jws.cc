#include "base/jws.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_depth.h"
#include "base/json_get.h"

namespace det {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestHeader = std::size_t{4} << 10;
constexpr int kDeepest = 16;
constexpr std::size_t kMostKeys = 100;
constexpr std::size_t kLongestKeyId = 1024;
constexpr int kWeakestRsa = 2048;  // bits
constexpr int kLargestRsa = 8192;  // what is larger only takes time
constexpr std::size_t kLongestExponent = 8;
constexpr std::size_t kCoordinate = 32;  // bytes of P-256's numbers

template <auto free>
struct Freed {
  template <typename T>
  void operator()(T* one) const {
    free(one);
  }
};
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using PublicKey = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

std::unexpected<Error> malformed(const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, "no signed token: " + what);
}

const unsigned char* octets(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// The alphabet of URLs, without padding: base64_decode takes the other one, too.
std::optional<std::string> decoded(std::string_view text) {
  const auto is_ours = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  if (text.empty() || !std::ranges::all_of(text, is_ours)) return std::nullopt;
  auto bytes = base64_decode(text);
  if (!bytes) return std::nullopt;
  return *std::move(bytes);
}

json object_of(std::string_view text) {
  if (is_nested_deeper(text, kDeepest)) return json();
  json parsed = json::parse(text, nullptr, false);
  return parsed.is_object() ? parsed : json();
}

Number number_of(const std::string& bytes) {
  return Number(BN_bin2bn(octets(bytes), static_cast<int>(bytes.size()), nullptr));
}

// OpenSSL has it checked that these numbers are a public key; null otherwise.
PublicKey key_of(const char* type, OSSL_PARAM* params) {
  const KeyContext maker(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* made = nullptr;
  if (!maker || params == nullptr || EVP_PKEY_fromdata_init(maker.get()) != 1 ||
      EVP_PKEY_fromdata(maker.get(), &made, EVP_PKEY_PUBLIC_KEY, params) != 1) {
    return nullptr;
  }
  PublicKey key(made);
  const KeyContext checker(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr));
  if (!checker || EVP_PKEY_public_check(checker.get()) != 1) return nullptr;
  return key;
}

PublicKey rsa_key(const json& jwk) {
  const auto modulus = decoded(get_string(jwk, "n"));
  const auto exponent = decoded(get_string(jwk, "e"));
  if (!modulus || !exponent || modulus->size() > kLargestRsa / 8 + 1 || exponent->size() > kLongestExponent) {
    return nullptr;
  }
  const Number n = number_of(*modulus);
  const Number e = number_of(*exponent);
  if (!n || !e || BN_num_bits(n.get()) < kWeakestRsa || BN_num_bits(n.get()) > kLargestRsa) return nullptr;
  if (BN_is_odd(e.get()) == 0 || BN_is_one(e.get())) return nullptr;
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  if (!builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return nullptr;
  }
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  return key_of("RSA", params.get());
}

PublicKey ec_key(const json& jwk) {
  if (get_string(jwk, "crv") != "P-256") return nullptr;
  const auto x = decoded(get_string(jwk, "x"));
  const auto y = decoded(get_string(jwk, "y"));
  if (!x || !y || x->size() != kCoordinate || y->size() != kCoordinate) return nullptr;
  const std::string point = "\x04" + *x + *y;  // uncompressed
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  if (!builder || OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1) {
    return nullptr;
  }
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  return key_of("EC", params.get());
}

// OpenSSL's form of two numbers side by side; empty when these are none.
std::string der_of(const std::string& signature) {
  if (signature.size() != 2 * kCoordinate) return {};
  Number r = number_of(signature.substr(0, kCoordinate));
  Number s = number_of(signature.substr(kCoordinate));
  const Signature both(ECDSA_SIG_new());
  if (!r || !s || !both || ECDSA_SIG_set0(both.get(), r.get(), s.get()) != 1) return {};
  static_cast<void>(r.release());  // `both` owns them now
  static_cast<void>(s.release());
  unsigned char* text = nullptr;
  const int size = i2d_ECDSA_SIG(both.get(), &text);
  if (size <= 0) return {};
  std::string der(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  OPENSSL_free(text);
  return der;
}

bool has_signed(EVP_PKEY* key, const Jws& jws) {
  const std::string signature = jws.algorithm == JwsAlgorithm::kEs256 ? der_of(jws.signature) : jws.signature;
  const DigestContext context(EVP_MD_CTX_new());
  if (signature.empty() || !context) return false;
  if (EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key) != 1) return false;
  return EVP_DigestVerify(context.get(), octets(signature), signature.size(), octets(jws.signed_text),
                          jws.signed_text.size()) == 1;
}

}  // namespace

Result<Jws> parse_jws(std::string_view compact) {
  if (compact.size() > kLongestJws) {
    return malformed("it has " + std::to_string(compact.size()) + " bytes, and up to " + std::to_string(kLongestJws) +
                     " are read");
  }
  const auto first = compact.find('.');
  const auto second = first == std::string_view::npos ? first : compact.find('.', first + 1);
  if (second == std::string_view::npos || compact.find('.', second + 1) != std::string_view::npos) {
    return malformed("it has not three parts");
  }
  if (first > kLongestHeader) return malformed("its header is too long");
  const auto header_text = decoded(compact.substr(0, first));
  auto payload = decoded(compact.substr(first + 1, second - first - 1));
  if (!header_text || !payload) return malformed("its parts are not base64url");
  const json header = object_of(*header_text);
  if (header.is_null()) return malformed("its header is no object");
  // What must be understood to read it we do not know, whatever it is.
  if (header.contains("crit")) return malformed("its header has what must be understood, and we do not: crit");
  Jws jws;
  const std::string algorithm = get_string(header, "alg");
  if (algorithm == "RS256") {
    jws.algorithm = JwsAlgorithm::kRs256;
  } else if (algorithm == "ES256") {
    jws.algorithm = JwsAlgorithm::kEs256;
  } else {
    return fail(ErrorCode::kPermissionDenied, "the token's algorithm is " +
                                                  json(algorithm.substr(0, 32)).dump(-1, ' ', true) +
                                                  ": only RS256 and ES256 are trusted");
  }
  auto signature = decoded(compact.substr(second + 1));
  if (!signature) return malformed("its signature is not base64url");
  jws.key_id = get_string(header, "kid");
  jws.payload = *std::move(payload);
  jws.signed_text = std::string(compact.substr(0, second));
  jws.signature = *std::move(signature);
  return jws;
}

Result<JwsKeys> JwsKeys::parse(std::string_view text) {
  const json set = object_of(text);
  const auto list = set.is_object() ? set.find("keys") : set.end();
  if (!set.is_object() || list == set.end() || !list->is_array()) {
    return fail(ErrorCode::kInvalidArgument, "no set of keys: an object with a list \"keys\" is one");
  }
  JwsKeys keys;
  for (const json& jwk : *list) {
    if (keys.keys_.size() == kMostKeys) break;
    const std::string type = get_string(jwk, "kty");
    if (type != "RSA" && type != "EC") continue;
    const auto algorithm = type == "RSA" ? JwsAlgorithm::kRs256 : JwsAlgorithm::kEs256;
    const std::string use = get_string(jwk, "use");
    const std::string only_for = get_string(jwk, "alg");
    if (!use.empty() && use != "sig") continue;
    if (!only_for.empty() && only_for != (type == "RSA" ? "RS256" : "ES256")) continue;
    std::string id = get_string(jwk, "kid");
    if (id.size() > kLongestKeyId) continue;
    PublicKey key = type == "RSA" ? rsa_key(jwk) : ec_key(jwk);
    if (!key) continue;
    keys.keys_.push_back({.algorithm = algorithm,
                          .id = std::move(id),
                          .key = std::shared_ptr<EVP_PKEY>(key.release(), Freed<EVP_PKEY_free>())});
  }
  return keys;
}

std::vector<const JwsKeys::Key*> JwsKeys::candidates(const Jws& jws) const {
  std::vector<const Key*> found;
  for (const Key& key : keys_) {
    if (key.algorithm == jws.algorithm && (jws.key_id.empty() || key.id == jws.key_id)) found.push_back(&key);
  }
  return found;
}

bool JwsKeys::has_key_for(const Jws& jws) const {
  return !candidates(jws).empty();
}

Status JwsKeys::verify(const Jws& jws) const {
  const auto found = candidates(jws);
  if (found.empty()) return fail(ErrorCode::kNotFound, "none of the published keys is the one that the token names");
  const auto signed_it = [&jws](const Key* key) { return has_signed(key->key.get(), jws); };
  if (std::ranges::any_of(found, signed_it)) return {};
  return fail(ErrorCode::kPermissionDenied, "the token's signature is not that of a published key");
}

}  // namespace det
