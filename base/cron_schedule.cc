#include "base/cron_schedule.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/lower_case.h"
#include "base/split_text.h"

namespace det {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr std::size_t kLongest = 200;
// The longest wait there is: February 29 around a year that is divided by 100 but not by 400.
constexpr int kMostDays = 9 * 366;

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNamed = {{{"@yearly", "0 0 1 1 *"},
                                                                                  {"@annually", "0 0 1 1 *"},
                                                                                  {"@monthly", "0 0 1 * *"},
                                                                                  {"@weekly", "0 0 * * 0"},
                                                                                  {"@daily", "0 0 * * *"},
                                                                                  {"@midnight", "0 0 * * *"},
                                                                                  {"@hourly", "0 * * * *"}}};

struct FieldRule {
  std::string_view name;
  int first = 0;
  int last = 0;
  std::span<const std::string_view> words = {};  // of first, first + 1, ...
};

const std::array<FieldRule, 5> kFields = {{{.name = "minute", .first = 0, .last = 59},
                                           {.name = "hour", .first = 0, .last = 23},
                                           {.name = "day of the month", .first = 1, .last = 31},
                                           {.name = "month", .first = 1, .last = 12, .words = kMonths},
                                           {.name = "day of the week", .first = 0, .last = 7, .words = kWeekdays}}};

struct Field {
  std::uint64_t bits = 0;
  bool is_any = false;
};

std::unexpected<Error> refuse(const FieldRule& rule, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, "its " + std::string(rule.name) + " " + what);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split_text(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size() && !text.starts_with('-');
  return is_whole ? std::optional(value) : std::nullopt;
}

Result<int> value_of(const FieldRule& rule, std::string_view text) {
  const auto named = std::ranges::find(rule.words, text);
  if (named != rule.words.end()) return rule.first + static_cast<int>(named - rule.words.begin());
  const auto value = number(text);
  if (value && *value >= rule.first && *value <= rule.last) return *value;
  return refuse(rule, "is \"" + std::string(text) + "\", not a number from " + std::to_string(rule.first) + " to " +
                          std::to_string(rule.last));
}

// "5", "1-5", "*", each with "/2" behind it; one number with a step goes on to the end.
Result<Field> read_part(const FieldRule& rule, std::string_view part) {
  const std::size_t slash = part.find('/');
  const std::string_view range = part.substr(0, slash);
  const bool has_step = slash != std::string_view::npos;
  const auto step = has_step ? number(part.substr(slash + 1)) : std::optional(1);
  if (!step || *step < 1) return refuse(rule, "has a step that is not a number from 1 on");
  const bool is_star = range == "*" || range == "?";
  int first = rule.first;
  int last = rule.last == 7 ? 6 : rule.last;
  if (!is_star) {
    const std::size_t dash = range.find('-');
    const auto low = value_of(rule, range.substr(0, dash));
    DET_TRY(low);
    first = *low;
    if (dash != std::string_view::npos) {
      const auto high = value_of(rule, range.substr(dash + 1));
      DET_TRY(high);
      last = *high;
      if (last < first) return refuse(rule, "has the range \"" + std::string(range) + "\", which is backwards");
    } else if (!has_step) {
      last = first;
    }
  }
  Field field{.bits = 0, .is_any = is_star && *step == 1};
  for (int value = first; value <= last; value += std::min(*step, 100)) field.bits |= std::uint64_t{1} << value;
  return field;
}

Result<Field> read_field(const FieldRule& rule, std::string_view text) {
  Field field;
  for (const std::string_view part : split_text(text, ',')) {
    const auto read = read_part(rule, part);
    DET_TRY(read);
    field.bits |= read->bits;
    field.is_any = field.is_any || read->is_any;
  }
  return field;
}

bool has(std::uint64_t bits, unsigned value) {
  return (bits >> value & 1U) != 0;
}

}  // namespace

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  if (text.size() > kLongest) return fail(ErrorCode::kInvalidArgument, "it is too long");
  std::string words = lower_case(std::string(text));
  if (words.starts_with("tz=") || words.starts_with("cron_tz=")) {
    return fail(ErrorCode::kInvalidArgument, "it names a time zone, but is always UTC");
  }
  if (words.starts_with('@')) {
    const auto named = std::ranges::find(kNamed, words, &std::pair<std::string_view, std::string_view>::first);
    if (named == kNamed.end()) return fail(ErrorCode::kInvalidArgument, "it is none of the names that cron knows");
    words = named->second;
  }
  const std::vector<std::string_view> given = words_of(words);
  if (given.size() != kFields.size()) {
    return fail(ErrorCode::kInvalidArgument, "cron has 5 fields, this has " + std::to_string(given.size()));
  }
  std::array<Field, 5> fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto field = read_field(kFields[i], given[i]);
    DET_TRY(field);
    fields[i] = *field;
  }
  CronSchedule schedule;
  schedule.minutes_ = fields[0].bits;
  schedule.hours_ = fields[1].bits;
  schedule.days_ = fields[2].bits;
  schedule.months_ = fields[3].bits;
  schedule.weekdays_ = fields[4].bits | (fields[4].bits >> 7 & 1U);
  schedule.any_day_ = fields[2].is_any;
  schedule.any_weekday_ = fields[4].is_any;
  if (!schedule.search(WallTime())) return fail(ErrorCode::kInvalidArgument, "no year has such a day");
  return schedule;
}

bool CronSchedule::has_day(sys_days day) const {
  const std::chrono::year_month_day date(day);
  if (!has(months_, static_cast<unsigned>(date.month()))) return false;
  const bool by_day = has(days_, static_cast<unsigned>(date.day()));
  const bool by_weekday = has(weekdays_, std::chrono::weekday(day).c_encoding());
  return any_day_ || any_weekday_ ? by_day && by_weekday : by_day || by_weekday;
}

std::optional<WallTime> CronSchedule::search(WallTime time) const {
  const auto after = std::chrono::floor<std::chrono::minutes>(time) + std::chrono::minutes(1);
  const sys_days today = std::chrono::floor<days>(after);
  for (sys_days day = today; day < today + days(kMostDays); day += days(1)) {
    if (!has_day(day)) continue;
    for (unsigned minute = day == today ? static_cast<unsigned>((after - today).count()) : 0; minute < 24 * 60;
         ++minute) {
      if (has(hours_, minute / 60) && has(minutes_, minute % 60)) return day + std::chrono::minutes(minute);
    }
  }
  return std::nullopt;
}

WallTime CronSchedule::next(WallTime time) const {
  const auto found = search(time);
  DET_CHECK(found.has_value(), "parse() found one, and days come again");
  return *found;
}

}  // namespace det
