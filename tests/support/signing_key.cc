#include "tests/support/signing_key.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/encoding.h"

namespace det::test {
namespace {

using nlohmann::json;

// `width` bytes, with zeros in front; 0: as many as it takes.
std::string number_text(const BIGNUM* number, int width) {
  std::string bytes(static_cast<std::size_t>(width == 0 ? BN_num_bytes(number) : width), '\0');
  auto* const out = reinterpret_cast<unsigned char*>(bytes.data());
  if (BN_bn2binpad(number, out, static_cast<int>(bytes.size())) < 0) bytes.clear();
  return bytes;
}

std::string number_of(EVP_PKEY* key, const char* name, int width) {
  BIGNUM* number = nullptr;
  const int ok = EVP_PKEY_get_bn_param(key, name, &number);
  DET_CHECK(ok == 1, "a key has its numbers");
  std::string bytes = number_text(number, width);
  BN_free(number);
  return base64url_encode(bytes);
}

// Two numbers of 32 bytes side by side, as JWS has them.
std::string raw_signature(const std::string& der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  ECDSA_SIG* both = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  DET_CHECK(both != nullptr, "OpenSSL reads its own signature");
  std::string raw = number_text(ECDSA_SIG_get0_r(both), 32) + number_text(ECDSA_SIG_get0_s(both), 32);
  ECDSA_SIG_free(both);
  return raw;
}

}  // namespace

SigningKey::SigningKey(evp_pkey_st* key) : key_(key, EVP_PKEY_free), is_rsa_(EVP_PKEY_is_a(key, "RSA") == 1) {}

SigningKey SigningKey::rsa(int bits) {
  return SigningKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", static_cast<std::size_t>(bits)));
}

SigningKey SigningKey::ec(const char* curve) {
  return SigningKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve));
}

json SigningKey::jwk(const std::string& id) const {
  if (is_rsa_) {
    return {{"kty", "RSA"},
            {"use", "sig"},
            {"alg", "RS256"},
            {"kid", id},
            {"n", number_of(key_.get(), OSSL_PKEY_PARAM_RSA_N, 0)},
            {"e", number_of(key_.get(), OSSL_PKEY_PARAM_RSA_E, 0)}};
  }
  return {{"kty", "EC"},
          {"crv", "P-256"},
          {"kid", id},
          {"x", number_of(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X, 32)},
          {"y", number_of(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, 32)}};
}

std::string SigningKey::public_pem() const {
  BIO* out = BIO_new(BIO_s_mem());
  PEM_write_bio_PUBKEY(out, key_.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(out, &text);
  std::string pem(text, static_cast<std::size_t>(size));
  BIO_free(out);
  return pem;
}

std::string SigningKey::sign(const json& header, const json& claims) const {
  std::string text = compact_token(header, claims, "");
  text.pop_back();
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  std::size_t size = 0;
  const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
  int ok = EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key_.get());
  ok = ok == 1 ? EVP_DigestSign(context, nullptr, &size, data, text.size()) : ok;
  std::string signature(size, '\0');
  ok = ok == 1 ? EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size, data, text.size())
               : ok;
  EVP_MD_CTX_free(context);
  DET_CHECK(ok == 1, "OpenSSL signs");
  signature.resize(size);
  return text + "." + base64url_encode(is_rsa_ ? signature : raw_signature(signature));
}

std::string compact_token(const json& header, const json& claims, std::string_view signature) {
  return base64url_encode(header.dump()) + "." + base64url_encode(claims.dump()) + "." + base64url_encode(signature);
}

}  // namespace det::test
