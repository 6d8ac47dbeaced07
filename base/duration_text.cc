#include "base/duration_text.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

namespace det {
namespace {

using nlohmann::json;

// The micro sign and the Greek letter.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 8> kUnits = {{{"ns", 1},
                                                                              {"us", 1'000},
                                                                              {"\u00b5s", 1'000},
                                                                              {"\u03bcs", 1'000},
                                                                              {"ms", 1'000'000},
                                                                              {"s", 1'000'000'000},
                                                                              {"m", 60'000'000'000},
                                                                              {"h", 3'600'000'000'000}}};
constexpr double kMost = 9.2e18;  // nanoseconds, some 290 years

std::string quoted(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::unexpected<Error> refuse(const std::string& what, std::string_view text) {
  return fail(ErrorCode::kInvalidArgument, "time: " + what + " duration " + quoted(text));
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Takes digits with at most one point among them; empty when there is no digit.
std::string_view take_number(std::string_view& rest) {
  std::size_t end = 0;
  bool has_point = false;
  bool has_digit = false;
  for (; end < rest.size(); ++end) {
    if (rest[end] == '.' && !has_point) {
      has_point = true;
    } else if (is_digit(rest[end])) {
      has_digit = true;
    } else {
      break;
    }
  }
  const std::string_view number = rest.substr(0, has_digit ? end : 0);
  rest.remove_prefix(number.size());
  return number;
}

std::string_view take_unit(std::string_view& rest) {
  std::size_t end = 0;
  while (end < rest.size() && rest[end] != '.' && !is_digit(rest[end])) ++end;
  const std::string_view unit = rest.substr(0, end);
  rest.remove_prefix(end);
  return unit;
}

}  // namespace

Result<std::chrono::nanoseconds> parse_duration_text(std::string_view text) {
  std::string_view rest = text;
  const bool is_negative = rest.starts_with('-');
  if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return std::chrono::nanoseconds(0);
  if (rest.empty()) return refuse("invalid", text);
  double sum = 0;
  while (!rest.empty()) {
    const std::string_view number = take_number(rest);
    if (number.empty()) return refuse("invalid", text);
    const std::string_view name = take_unit(rest);
    if (name.empty()) return refuse("missing unit in", text);
    std::int64_t nanoseconds = 0;
    for (const auto& [unit, length] : kUnits) {
      if (unit == name) nanoseconds = length;
    }
    if (nanoseconds == 0) return refuse("unknown unit " + quoted(name) + " in", text);
    double units = 0;
    std::from_chars(number.data(), number.data() + number.size(), units, std::chars_format::fixed);
    sum += units * static_cast<double>(nanoseconds);
    if (sum > kMost) return refuse("invalid", text);
  }
  const auto whole = static_cast<std::int64_t>(sum);
  return std::chrono::nanoseconds(is_negative ? -whole : whole);
}

std::string duration_text(std::chrono::seconds duration) {
  const std::int64_t all = duration.count() < 0 ? -duration.count() : duration.count();
  const std::int64_t hours = all / 3600;
  const std::int64_t minutes = all / 60 % 60;
  std::string text = duration.count() < 0 ? "-" : "";
  if (hours > 0) text += std::to_string(hours) + "h";
  if (all >= 60) text += std::to_string(minutes) + "m";
  return text + std::to_string(all % 60) + "s";
}

}  // namespace det
