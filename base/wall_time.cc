#include "base/wall_time.h"

#include <cstdint>
#include <string_view>

namespace det {
namespace {

struct Calendar {
  std::chrono::year_month_day date;
  std::chrono::hh_mm_ss<std::chrono::microseconds> time;
};

Calendar split(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  return {std::chrono::year_month_day(day), std::chrono::hh_mm_ss<std::chrono::microseconds>(time - day)};
}

void append_digits(std::string& out, unsigned value, int digits) {
  char text[10];
  for (int i = digits - 1; i >= 0; --i, value /= 10) text[i] = static_cast<char>('0' + value % 10);
  out.append(text, static_cast<std::size_t>(digits));
}

// Every log line is written with its time: no printf here.
std::string format(WallTime time, bool micros) {
  const auto [date, clock] = split(time);
  std::string text;
  text.reserve(32);
  const auto add = [&text](auto value, int digits, char before) {
    if (before != '\0') text += before;
    append_digits(text, static_cast<unsigned>(value), digits);
  };
  add(static_cast<int>(date.year()), 4, '\0');
  add(static_cast<unsigned>(date.month()), 2, '-');
  add(static_cast<unsigned>(date.day()), 2, '-');
  add(clock.hours().count(), 2, 'T');
  add(clock.minutes().count(), 2, ':');
  add(clock.seconds().count(), 2, ':');
  if (micros) add(clock.subseconds().count(), 6, '.');
  return text += 'Z';
}

// Reads exactly `digits` decimal digits at `at` and moves it behind them.
std::optional<int> number(std::string_view text, std::size_t& at, std::size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char c = text[at + i];
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  at += digits;
  return value;
}

bool literal(std::string_view text, std::size_t& at, std::string_view any_of) {
  if (at >= text.size() || any_of.find(text[at]) == std::string_view::npos) return false;
  ++at;
  return true;
}

std::optional<std::chrono::microseconds> fraction(std::string_view text, std::size_t& at) {
  std::int64_t micros = 0;
  int digits = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    if (digits < 6) micros = micros * 10 + (text[at] - '0');
    ++digits;
    ++at;
  }
  if (digits == 0 || digits > 9) return std::nullopt;
  for (; digits < 6; ++digits) micros *= 10;
  return std::chrono::microseconds(micros);
}

std::optional<std::chrono::minutes> zone(std::string_view text, std::size_t& at) {
  if (literal(text, at, "Zz")) return std::chrono::minutes(0);
  if (at >= text.size() || (text[at] != '+' && text[at] != '-')) return std::nullopt;
  const int sign = text[at++] == '-' ? -1 : 1;
  const auto hours = number(text, at, 2);
  literal(text, at, ":");
  const auto minutes = number(text, at, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return std::chrono::minutes(sign * (*hours * 60 + *minutes));
}

// What RFC 3339 can write.
constexpr WallTime kFirstTime{std::chrono::sys_days(std::chrono::year(1) / 1 / 1)};
constexpr WallTime kLastTime =
    WallTime(std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1)) - WallTime::duration(1);

}  // namespace

std::string format_rfc3339_micros(WallTime time) {
  return format(time, true);
}
std::string format_rfc3339_seconds(WallTime time) {
  return format(time, false);
}

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  std::size_t at = 0;
  const auto year = number(text, at, 4);
  if (!year || !literal(text, at, "-")) return std::nullopt;
  const auto month = number(text, at, 2);
  if (!month || !literal(text, at, "-")) return std::nullopt;
  const auto day = number(text, at, 2);
  if (!day || !literal(text, at, "Tt ")) return std::nullopt;
  const auto hour = number(text, at, 2);
  if (!hour || !literal(text, at, ":")) return std::nullopt;
  const auto minute = number(text, at, 2);
  if (!minute || !literal(text, at, ":")) return std::nullopt;
  const auto second = number(text, at, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  std::chrono::microseconds subseconds{0};
  if (literal(text, at, ".")) {
    const auto read = fraction(text, at);
    if (!read) return std::nullopt;
    subseconds = *read;
  }
  const auto offset = zone(text, at);
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!offset || at != text.size() || !date.ok()) return std::nullopt;
  const WallTime time = WallTime(std::chrono::sys_days(date)) + std::chrono::hours(*hour) +
                        std::chrono::minutes(*minute) + std::chrono::seconds(*second) + subseconds - *offset;
  // What is written has four digits; in UTC it may be in the year before or after that which was read.
  if (time < kFirstTime || time > kLastTime) return std::nullopt;
  return time;
}

}  // namespace det
