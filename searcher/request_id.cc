#include "searcher/request_id.h"

#include <array>
#include <cstddef>

namespace det::searcher {
namespace {

constexpr std::size_t kLength = 36;
constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> make_digits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) digits[static_cast<std::size_t>('0') + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i) digits[static_cast<std::size_t>('a') + i] = static_cast<std::uint8_t>(10 + i);
  return digits;
}
constexpr std::array<std::uint8_t, 256> kDigits = make_digits();

constexpr bool is_dash(std::size_t at) {
  return at == 8 || at == 13 || at == 18 || at == 23;
}

}  // namespace

std::optional<RequestId> parse_request_id(std::string_view text) {
  if (text.size() != kLength) return std::nullopt;
  std::uint64_t words[2] = {0, 0};
  unsigned bad = 0;
  for (std::size_t i = 0, digits = 0; i < kLength; ++i) {
    if (is_dash(i)) {
      bad |= text[i] != '-' ? 0x80U : 0U;
      continue;
    }
    const std::uint8_t digit = kDigits[static_cast<std::uint8_t>(text[i])];
    bad |= digit & 0x80U;
    words[digits / 16] = words[digits / 16] << 4U | (digit & 0xfU);
    ++digits;
  }
  if (bad != 0) return std::nullopt;
  return RequestId{.high = words[0], .low = words[1]};
}

std::string to_string(RequestId id) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text(kLength, '-');
  for (std::size_t i = 0, digits = 0; i < kLength; ++i) {
    if (is_dash(i)) continue;
    const std::uint64_t word = digits < 16 ? id.high : id.low;
    text[i] = kHex[word >> (60U - 4U * (digits % 16)) & 0xfU];
    ++digits;
  }
  return text;
}

}  // namespace det::searcher
