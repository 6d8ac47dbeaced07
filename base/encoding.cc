#include "base/encoding.h"

#include <algorithm>
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
  const auto byte = [&](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(bytes[i]); };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group = (byte(i) << 16U) | (byte(i + 1) << 8U) | byte(i + 2);
    const std::array digits = {alphabet[group >> 18U], alphabet[(group >> 12U) & 0x3fU],
                               alphabet[(group >> 6U) & 0x3fU], alphabet[group & 0x3fU]};
    text.append(digits.data(), digits.size());
  }
  const std::size_t rest = bytes.size() - i;
  if (rest == 0) return text;
  const std::uint32_t group = (byte(i) << 16U) | (rest == 2 ? byte(i + 1) << 8U : 0U);
  text.push_back(alphabet[group >> 18U]);
  text.push_back(alphabet[(group >> 12U) & 0x3fU]);
  if (rest == 2) text.push_back(alphabet[(group >> 6U) & 0x3fU]);
  if (padded) text.append(3 - rest, '=');
  return text;
}

// The value of each digit of either alphabet; kNoDigit for all other characters.
constexpr std::uint8_t kNoDigit = 0xff;
constexpr auto kSextets = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (const std::string_view alphabet : {kStandard, kUrlSafe}) {
    for (std::uint8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(alphabet[i])] = i;
  }
  return values;
}();

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Fetched once: EVP_sha256() by itself is looked for among the providers at each use, which takes as long as the digest
// of a token. Never freed, because threads may need it while the process ends.
const EVP_MD* sha256_kind() {
  static const EVP_MD* const kKind = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  DET_CHECK(kKind != nullptr, "OpenSSL has SHA-256");
  return kKind;
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
  const auto sextet = [&](std::size_t i) -> std::uint32_t { return kSextets[static_cast<unsigned char>(digits[i])]; };
  const std::size_t rest = digits.size() % 4;
  const std::size_t whole = digits.size() - rest;
  std::uint32_t seen = 0;  // of all digits together: none of them reaches 0x40
  std::string bytes;
  bytes.resize_and_overwrite(whole / 4 * 3, [&](char* out, std::size_t) {  // libstdc++ 12 gives the capacity there
    for (std::size_t i = 0; i < whole; i += 4) {
      const std::uint32_t a = sextet(i);
      const std::uint32_t b = sextet(i + 1);
      const std::uint32_t c = sextet(i + 2);
      const std::uint32_t d = sextet(i + 3);
      seen |= a | b | c | d;
      const std::uint32_t group = (a << 18U) | (b << 12U) | (c << 6U) | d;
      *out++ = static_cast<char>((group >> 16U) & 0xffU);
      *out++ = static_cast<char>((group >> 8U) & 0xffU);
      *out++ = static_cast<char>(group & 0xffU);
    }
    return whole / 4 * 3;
  });
  std::uint32_t last = 0;  // two digits are one byte, three are two
  for (std::size_t i = whole; i < digits.size(); ++i) {
    seen |= sextet(i);
    last = (last << 6U) | sextet(i);
  }
  if ((seen & 0x40U) != 0) {
    const auto bad =
        std::ranges::find_if(digits, [](char c) { return kSextets[static_cast<unsigned char>(c)] == kNoDigit; });
    return fail(ErrorCode::kInvalidArgument,
                "not base64: unexpected character at offset " + std::to_string(bad - digits.begin()));
  }
  if (rest == 0) return bytes;
  const unsigned over = rest == 2 ? 4 : 2;
  if ((last & ((1U << over) - 1U)) != 0) {
    return fail(ErrorCode::kInvalidArgument, "not base64: the last character has bits left over");
  }
  last >>= over;
  if (rest == 3) bytes.push_back(static_cast<char>(last >> 8U));
  bytes.push_back(static_cast<char>(last & 0xffU));
  return bytes;
}

std::string hex_encode(std::string_view bytes) {
  std::string text(bytes.size() * 2, '\0');
  char* out = text.data();
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *out++ = kHexDigits[byte >> 4U];
    *out++ = kHexDigits[byte & 0xfU];
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
  return digest_hex(bytes, sha256_kind());
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
