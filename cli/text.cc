#include "cli/text.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/wall_time.h"

namespace det::cli {

std::string size_text(double bytes) {
  static constexpr std::array kUnits = {"", "K", "M", "G", "T", "P", "E", "Z"};
  std::array<char, 32> text{};
  for (const char* unit : kUnits) {
    if (bytes < 1024.0) {
      std::snprintf(text.data(), text.size(), "%3.1f%sB", bytes, unit);
      return text.data();
    }
    bytes /= 1024.0;
  }
  std::snprintf(text.data(), text.size(), "%.1fYB", bytes);
  return text.data();
}

Json time_cell(const Json& time) {
  if (!time.is_string()) return nullptr;
  const auto parsed = parse_rfc3339(time.get<std::string>());
  if (!parsed) return time;
  std::string text = format_rfc3339_seconds(*parsed);  // 2026-11-21T17:20:14Z
  text[10] = ' ';
  text.pop_back();
  return text + "+0000";
}

Json percent_cell(const Json& share) {
  if (!share.is_number()) return nullptr;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f%%", share.get<double>() * 100.0);
  return std::string(text.data());
}

std::string state_text(const Json& state) {
  static constexpr std::string_view kPrefix = "STATE_";
  if (!state.is_string()) return "";
  const auto& word = state.get_ref<const std::string&>();
  return word.starts_with(kPrefix) ? word.substr(kPrefix.size()) : word;
}

bool is_end(std::string_view state) {
  return state == "COMPLETED" || state == "ERROR" || state == "CANCELED";
}

std::string cell_json(const Json& value) {
  return value.dump(4, ' ', true, Json::error_handler_t::replace);
}

std::string pretty_json(const Json& value) {
  return value.dump(2, ' ', true, Json::error_handler_t::replace);
}

Json field(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? Json() : *found;
}

std::string text_field(const Json& object, std::string_view key) {
  const Json value = field(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t integer_field(const Json& object, std::string_view key) {
  const Json value = field(object, key);
  return value.is_number() ? value.get<std::int64_t>() : 0;
}

std::string master_log_line(const Json& entry) {
  constexpr std::string_view kPrefix = "LOG_LEVEL_";
  std::string level = text_field(entry, "level");
  if (level.starts_with(kPrefix)) level.erase(0, kPrefix.size());
  return text_field(entry, "timestamp") + " [" + level + "]: " + text_field(entry, "message");
}

double metric_number(const Json& value) {
  if (value.is_string()) return std::strtod(value.get_ref<const std::string&>().c_str(), nullptr);
  return value.is_number() ? value.get<double>() : 0;
}

std::string colored(std::string_view text, Color color, bool is_terminal) {
  if (!is_terminal) return std::string(text);
  const char* code = "31";
  if (color == Color::kGreen) code = "32";
  if (color == Color::kYellow) code = "33";
  return std::string("\x1b[") + code + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace det::cli
