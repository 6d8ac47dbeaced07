#include "base/rsa_signature.h"

#include <memory>

#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/jws.h"

namespace det {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

std::string pem_of(EVP_PKEY* key) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
  PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string number_of(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  EVP_PKEY_get_bn_param(key, name, &number);
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(number)), '\0');
  BN_bn2bin(number, reinterpret_cast<unsigned char*>(bytes.data()));
  BN_free(number);
  return base64url_encode(bytes);
}

TEST(RsaSignature, IsOneThatItsPublicKeyKnows) {
  const Key key(EVP_RSA_gen(2048), &EVP_PKEY_free);
  const auto token = make_jwt(R"({"iss":"a"})", "k1", pem_of(key.get()));
  ASSERT_TRUE(token) << token.error().message;
  const nlohmann::json set = {{"keys",
                               {{{"kty", "RSA"},
                                 {"kid", "k1"},
                                 {"alg", "RS256"},
                                 {"n", number_of(key.get(), OSSL_PKEY_PARAM_RSA_N)},
                                 {"e", number_of(key.get(), OSSL_PKEY_PARAM_RSA_E)}}}}};
  const auto parsed = parse_jws(*token);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->payload, R"({"iss":"a"})");
  EXPECT_EQ(parsed->key_id, "k1");
  const Status verified = JwsKeys::parse(set.dump())->verify(*parsed);
  EXPECT_TRUE(verified) << verified.error().message;
}

TEST(RsaSignature, NeedsAnRsaKey) {
  const Key other(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  for (const std::string& pem : {std::string(), std::string("x"), pem_of(other.get())}) {
    const auto signature = rs256_signature(pem, "text");
    ASSERT_FALSE(signature);
    EXPECT_EQ(signature.error().message, "the private key is no RSA key in PEM form");
  }
}

}  // namespace
}  // namespace det
