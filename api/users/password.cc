#include "api/users/password.h"

#include <crypt.h>
#include <openssl/crypto.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/encoding.h"

namespace det::api {

namespace {

constexpr std::string_view kClientSalt = "GubPEmmotfiK9TMD6Zdw";

// Empty when libcrypt does not know the setting.
std::string bcrypt(const std::string& key, const std::string& setting) {
  const auto data = std::make_unique<crypt_data>();
  const char* const result = ::crypt_r(key.c_str(), setting.c_str(), data.get());
  return result == nullptr || result[0] == '*' ? std::string() : std::string(result);
}

}  // namespace

std::string client_hash(std::string_view password) {
  return password.empty() ? std::string() : sha512_hex(std::string(kClientSalt) + std::string(password));
}

Result<std::optional<std::string>> hash_password(const std::string& client_hash, int cost) {
  if (client_hash.empty()) return std::nullopt;
  std::array<char, CRYPT_GENSALT_OUTPUT_SIZE> setting{};
  if (::crypt_gensalt_rn("$2b$", static_cast<unsigned long>(cost), nullptr, 0, setting.data(),
                         static_cast<int>(setting.size())) == nullptr) {
    return fail(ErrorCode::kInternal, "no salt for a password: " + std::string(std::strerror(errno)));
  }
  std::string hash = bcrypt(client_hash, setting.data());
  if (hash.empty()) return fail(ErrorCode::kInternal, "libcrypt has no bcrypt");
  return hash;
}

int cost_of(const std::string& stored) {
  // $2b$12$...
  const bool is_bcrypt =
      stored.size() > 7 && stored[0] == '$' && stored[1] == '2' && stored[3] == '$' && stored[6] == '$';
  return is_bcrypt ? std::atoi(stored.substr(4, 2).c_str()) : 0;
}

bool matches(const std::string& client_hash, const std::optional<std::string>& stored) {
  if (client_hash.empty() || !stored) return client_hash.empty() && !stored;
  const std::string hash = bcrypt(client_hash, *stored);
  return hash.size() == stored->size() && CRYPTO_memcmp(hash.data(), stored->data(), hash.size()) == 0;
}

}  // namespace det::api
