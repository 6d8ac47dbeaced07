#include "base/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

namespace det {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> kNan = {".nan", ".NaN", ".NAN"};
constexpr std::array<std::string_view, 3> kInf = {".inf", ".Inf", ".INF"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::string_view strip_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

std::optional<json> parse_integer(std::string_view text) {
  const bool is_negative = text[0] == '-';
  std::string_view digits = strip_sign(text);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char kind = static_cast<char>(digits[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
    digits.remove_prefix(kind == 'x' || kind == 'b' || kind == 'o' ? 2 : 1);
  }
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63U;
  if (!is_negative) return magnitude < kLimit ? json(static_cast<std::int64_t>(magnitude)) : json(magnitude);
  if (magnitude > kLimit) return std::nullopt;
  return json(static_cast<std::int64_t>(0 - magnitude));
}

// digits [. digits] [e [sign] digits], with at least one digit before the exponent.
bool looks_like_float(std::string_view text) {
  text = strip_sign(text);
  std::size_t i = 0;
  std::size_t digits = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) ++digits;
  if (i < text.size() && text[i] == '.') {
    for (++i; i < text.size() && is_digit(text[i]); ++i) ++digits;
  }
  if (digits == 0) return false;
  if (i == text.size()) return true;
  if ((text[i] | 0x20) != 'e') return false;
  ++i;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  return i < text.size() && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), is_digit);
}

std::optional<json> parse_float(std::string_view text) {
  if (!looks_like_float(text)) return std::nullopt;
  const bool is_negative = text[0] == '-';
  const std::string_view digits = strip_sign(text);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (is_negative) value = -value;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const bool is_whole = std::trunc(value) == value && std::abs(value) <= kExact && !(value == 0 && std::signbit(value));
  return is_whole ? json(static_cast<std::int64_t>(value)) : json(value);
}

}  // namespace

Result<json> resolve_plain_scalar(std::string_view text) {
  if (is_one_of(text, kNull)) return json(nullptr);
  if (is_one_of(text, kTrue)) return json(true);
  if (is_one_of(text, kFalse)) return json(false);
  if (is_one_of(text, kNan) || is_one_of(strip_sign(text), kInf)) {
    return fail(ErrorCode::kInvalidArgument, "the number " + std::string(text) + " cannot be used here");
  }
  const char first = strip_sign(text).empty() ? '\0' : strip_sign(text)[0];
  if (!is_digit(first) && first != '.') return json(std::string(text));
  std::string plain(text);
  std::erase(plain, '_');
  if (auto integer = parse_integer(plain)) return *std::move(integer);
  if (auto number = parse_float(plain)) return *std::move(number);
  return json(std::string(text));
}

}  // namespace det
