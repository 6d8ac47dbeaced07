#include "searcher/request_id.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include <nlohmann/json.hpp>

namespace det::searcher {
namespace {

constexpr std::size_t kLength = 36;
constexpr std::size_t kDigits = 32;
// Where the five groups of digits stand in the text and how long they are; between them are dashes.
struct Group {
  std::size_t from;
  std::size_t size;
};
constexpr std::array<Group, 5> kGroups = {{{0, 8}, {9, 4}, {14, 4}, {19, 4}, {24, 12}}};

// Straight loops over all digits: a search does this at every event, and they become a few vector instructions.
using Digits = std::array<unsigned char, kDigits>;

std::uint64_t word_at(const std::array<unsigned char, kDigits / 2>& bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return std::endian::native == std::endian::little ? std::byteswap(word) : word;
}

}  // namespace

std::optional<RequestId> parse_request_id(std::string_view text) {
  if (text.size() != kLength) return std::nullopt;
  if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return std::nullopt;
  Digits digits;
  std::size_t filled = 0;
  for (const Group& group : kGroups) {
    std::memcpy(digits.data() + filled, text.data() + group.from, group.size);
    filled += group.size;
  }
  unsigned char bad = 0;
  for (unsigned char& digit : digits) {
    const auto decimal = static_cast<unsigned char>(digit - '0');
    const auto letter = static_cast<unsigned char>(digit - 'a');
    bad |= static_cast<unsigned char>(decimal > 9 && letter > 5);
    digit = decimal > 9 ? static_cast<unsigned char>(letter + 10) : decimal;
  }
  if (bad != 0) return std::nullopt;
  std::array<unsigned char, kDigits / 2> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(digits[2 * i] << 4U | digits[2 * i + 1]);
  }
  return RequestId{.high = word_at(bytes, 0), .low = word_at(bytes, 8)};
}

std::string to_string(RequestId id) {
  Digits digits;
  for (std::size_t i = 0; i < kDigits; ++i) {
    const std::uint64_t word = i < 16 ? id.high : id.low;
    const auto digit = static_cast<unsigned char>(word >> (60U - 4U * (i % 16)) & 0xfU);
    digits[i] = static_cast<unsigned char>(digit < 10 ? '0' + digit : 'a' + digit - 10);
  }
  std::string text(kLength, '-');
  std::size_t taken = 0;
  for (const Group& group : kGroups) {
    std::memcpy(text.data() + group.from, digits.data() + taken, group.size);
    taken += group.size;
  }
  return text;
}

void to_json(nlohmann::json& value, RequestId id) {
  value = to_string(id);
}

std::string not_of_this_search(std::string_view request_id) {
  return "the trial " + std::string(request_id) + " is not one of this search";
}

Result<RequestId> read_request_id(std::string_view text) {
  if (const auto id = parse_request_id(text)) return *id;
  return fail(ErrorCode::kInvalidArgument, not_of_this_search(text));
}

}  // namespace det::searcher
