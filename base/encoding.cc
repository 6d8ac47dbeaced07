#include "base/encoding.h"

#include <array>
#include <cstdint>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "base/check.h"

namespace det {
namespace {

constexpr std::string_view kStandard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string encode64(std::string_view bytes, std::string_view alphabet, bool padded) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = (group << 8U) | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      if (k <= count) {
        text.push_back(alphabet[(group >> (18U - 6U * k)) & 0x3fU]);
      } else if (padded) {
        text.push_back('=');
      }
    }
  }
  return text;
}

int sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  if (c == '/' || c == '_') return 63;
  return -1;
}

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string digest_hex(std::string_view bytes, const EVP_MD* kind) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const int ok = EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, kind, nullptr);
  DET_CHECK(ok == 1, "OpenSSL has SHA-2");
  return hex_encode({reinterpret_cast<const char*>(digest.data()), size});
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  const int ok = RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count));
  DET_CHECK(ok == 1, "the system has entropy");
  return bytes;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  return encode64(bytes, kStandard, true);
}

std::string base64url_encode(std::string_view bytes) {
  return encode64(bytes, kUrlSafe, false);
}

Result<std::string> base64_decode(std::string_view text) {
  std::string_view digits = text;
  while (!digits.empty() && digits.back() == '=' && text.size() - digits.size() < 2) digits.remove_suffix(1);
  const std::size_t padding = text.size() - digits.size();
  if (digits.size() % 4 == 1 || (padding != 0 && text.size() % 4 != 0)) {
    return fail(ErrorCode::kInvalidArgument, "not base64: the length " + std::to_string(text.size()) + " cannot be");
  }
  std::string bytes;
  bytes.reserve(digits.size() / 4 * 3 + 2);
  std::uint32_t pending = 0;
  unsigned bits = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const int value = sextet(digits[i]);
    if (value < 0) {
      return fail(ErrorCode::kInvalidArgument, "not base64: unexpected character at offset " + std::to_string(i));
    }
    pending = (pending << 6U) | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>((pending >> bits) & 0xffU));
    pending &= (1U << bits) - 1U;
  }
  if (pending != 0) return fail(ErrorCode::kInvalidArgument, "not base64: the last character has bits left over");
  return bytes;
}

std::string hex_encode(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text.push_back(kHexDigits[byte >> 4U]);
    text.push_back(kHexDigits[byte & 0xfU]);
  }
  return text;
}

Result<std::string> hex_decode(std::string_view text) {
  if (text.size() % 2 != 0) return fail(ErrorCode::kInvalidArgument, "not hex: odd number of digits");
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = nibble(text[i]);
    const int low = nibble(text[i + 1]);
    if (high < 0 || low < 0) {
      return fail(ErrorCode::kInvalidArgument, "not hex: unexpected character near offset " + std::to_string(i));
    }
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

std::string sha256_hex(std::string_view bytes) {
  return digest_hex(bytes, EVP_sha256());
}

std::string sha1(std::string_view bytes) {
  return hex_decode(digest_hex(bytes, EVP_sha1())).value_or("");
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* made =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data, bytes.size(), digest.data(), &size);
  DET_CHECK(made != nullptr, "OpenSSL computes an HMAC");
  return hex_encode({reinterpret_cast<const char*>(digest.data()), size});
}

bool is_same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string sha512_hex(std::string_view bytes) {
  return digest_hex(bytes, EVP_sha512());
}

std::string random_token(std::size_t bytes) {
  return encode64(random_bytes(bytes), kUrlSafe, false);
}

std::string uuid_v4() {
  std::string bytes = random_bytes(16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);
  std::string text = hex_encode(bytes);
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) text.insert(dash, 1, '-');
  return text;
}

bool is_valid_utf8(std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xf0 ? 4U : lead >= 0xe0 ? 3U : 2U;
    if (lead < 0xc2 || lead > 0xf4 || bytes.size() - i < length) return false;
    std::uint32_t point = lead & (0xffU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(bytes[i + k]);
      if ((next & 0xc0U) != 0x80U) return false;
      point = (point << 6U) | (next & 0x3fU);
    }
    const bool is_overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
    const bool is_surrogate = point >= 0xd800 && point <= 0xdfff;
    if (is_overlong || is_surrogate || point > 0x10ffff) return false;
    i += length;
  }
  return true;
}

}  // namespace det
