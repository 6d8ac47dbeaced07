#include "base/rsa_signature.h"

#include <memory>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <nlohmann/json.hpp>

#include "base/encoding.h"

namespace det {

namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

// Never asks a person for a password, as OpenSSL would do on the terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*is_written*/, void* /*data*/) {
  return -1;
}

Key read_key(const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bytes(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                        &BIO_free);
  return {PEM_read_bio_PrivateKey(bytes.get(), nullptr, no_password, nullptr), &EVP_PKEY_free};
}

}  // namespace

Result<std::string> rs256_signature(const std::string& private_key, std::string_view text) {
  const Key key = read_key(private_key);
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return fail(ErrorCode::kInvalidArgument, "the private key is no RSA key in PEM form");
  }
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(key.get())), '\0');
  std::size_t size = signature.size();
  const bool is_made = EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
                       EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                                      reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
  if (!is_made) return fail(ErrorCode::kInvalidArgument, "nothing can be signed with the private key");
  signature.resize(size);
  return signature;
}

Result<std::string> make_jwt(std::string_view claims, const std::string& key_id, const std::string& private_key) {
  nlohmann::json header = {{"alg", "RS256"}, {"typ", "JWT"}};
  if (!key_id.empty()) header["kid"] = key_id;
  const std::string text = base64url_encode(header.dump()) + "." + base64url_encode(claims);
  const auto signature = rs256_signature(private_key, text);
  DET_TRY(signature);
  return text + "." + base64url_encode(*signature);
}

}  // namespace det
