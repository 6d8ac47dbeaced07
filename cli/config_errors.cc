#include "cli/config_errors.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "base/printable.h"
#include "base/yaml.h"
#include "base/yaml_lines.h"
#include "cli/config_overrides.h"

namespace det::cli {
namespace {

constexpr std::string_view kRoot = "<config>";
// Of experiments, and of tasks.
constexpr auto kUnknownKeys = std::to_array<std::string_view>({"additionalProperties \"", "json: unknown field \""});
constexpr std::size_t kLongestQuote = 160;  // bytes; a longer line is not shown

struct ConfigError {
  std::string path;
  std::string what;
  std::string unknown_key;  // the key that is wrong, below the path
};

// " (line 7)" at the end: of the text that was sent, which need not be the file.
std::string without_line(std::string what) {
  const std::size_t at = what.rfind(" (line ");
  if (at == std::string::npos || !what.ends_with(')')) return what;
  const bool is_number = std::all_of(what.begin() + static_cast<std::ptrdiff_t>(at) + 7, what.end() - 1,
                                     [](unsigned char c) { return std::isdigit(c) != 0; });
  if (is_number) what.resize(at);
  return what;
}

std::optional<ConfigError> read_error(std::string_view line) {
  if (!line.starts_with(kRoot)) return std::nullopt;
  line.remove_prefix(kRoot.size());
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  ConfigError error{.path = std::string(line.substr(0, colon)),
                    .what = without_line(std::string(line.substr(colon + 2))),
                    .unknown_key = {}};
  if (error.path.starts_with('.')) error.path.erase(0, 1);
  for (const std::string_view begin : kUnknownKeys) {
    if (!error.what.starts_with(begin)) continue;
    error.unknown_key = error.what.substr(begin.size(), error.what.find('"', begin.size()) - begin.size());
  }
  return error;
}

std::string place_of(const ConfigError& error) {
  return error.unknown_key.empty() ? error.path : child_path(error.path, error.unknown_key);
}

// What the rest of a path ("", ".a[0]") leads to.
bool has_place(const Json& value, std::string_view rest) {
  const Json* at = &value;
  while (!rest.empty()) {
    const bool is_item = rest[0] == '[';
    const std::size_t end = is_item ? rest.find(']') : rest.find_first_of(".[", 1);
    const std::string name(rest.substr(1, end == std::string_view::npos ? end : end - 1));
    if (is_item) {
      const std::size_t index = std::strtoull(name.c_str(), nullptr, 10);
      if (!at->is_array() || index >= at->size()) return false;
      at = &(*at)[index];
    } else {
      const auto found = at->is_object() ? at->find(name) : at->end();
      if (!at->is_object() || found == at->end()) return false;
      at = &*found;
    }
    rest.remove_prefix(std::min(rest.size(), is_item && end != std::string_view::npos ? end + 1 : end));
  }
  return true;
}

// The override that wrote what is wrong; the last one counts.
std::optional<std::string> override_of(const std::string& place, const WrittenConfig& config, const YamlLines& lines) {
  for (auto option = config.overrides.rbegin(); option != config.overrides.rend(); ++option) {
    const std::string path = option->substr(0, option->find('='));
    if (path.empty() || !place.starts_with(path)) continue;
    const auto alone = with_overrides(Json::object(), {*option});
    if (!alone || !has_place(*alone, "." + place)) continue;
    // Of what was merged, the file is the better place to look at.
    if (place == path && lines.contains(place) && option->find('{') != std::string::npos) {
      continue;
    }
    return *option;
  }
  return std::nullopt;
}

struct Mark {
  std::size_t begin = 0;
  std::size_t length = 0;
};

std::size_t end_of_value(std::string_view line, std::size_t begin, bool is_flow) {
  if (begin < line.size() && (line[begin] == '"' || line[begin] == '\'')) {
    const std::size_t close = line.find(line[begin], begin + 1);
    if (close != std::string_view::npos) return close + 1;
  }
  std::size_t end = begin;
  int open = 0;
  for (; end < line.size(); ++end) {
    const char c = line[end];
    if (c == '[' || c == '{') ++open;
    if (is_flow && open == 0 && (c == ',' || c == '}' || c == ']')) break;
    if (c == ']' || c == '}') --open;
    if (c == '#' && end > 0 && line[end - 1] == ' ') break;
  }
  while (end > begin && line[end - 1] == ' ') --end;
  return end;
}

// `name`: the key that stands in the line, empty for an item of a list.
Mark mark_of(std::string_view line, const std::string& name, bool marks_key) {
  std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
  if (line.substr(first).starts_with("- ")) first = std::min(line.find_first_not_of(' ', first + 1), line.size());
  const Mark whole{.begin = first, .length = end_of_value(line, first, false) - first};
  if (name.empty()) return whole;
  for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    std::size_t after = at + name.size();
    if (after < line.size() && (line[after] == '"' || line[after] == '\'')) ++after;
    const bool begins = at == 0 || std::string_view(" \t{,\"'-").find(line[at - 1]) != std::string_view::npos;
    if (!begins || after >= line.size() || line[after] != ':') continue;
    const std::size_t value = line.find_first_not_of(" \t", after + 1);
    if (marks_key || value == std::string_view::npos || line[value] == '#') {
      return {.begin = at, .length = name.size()};
    }
    const bool is_flow = line.substr(0, at).find('{') != std::string_view::npos;
    return {.begin = value, .length = end_of_value(line, value, is_flow) - value};
  }
  return whole;
}

// Columns: bytes that continue a character take none.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

std::string quote(const std::string& line, int number, const Mark& mark) {
  if (line.size() > kLongestQuote || printable(line) != line) return "";
  const std::string margin = "  " + std::to_string(number);
  std::string under;
  for (const char c : std::string_view(line).substr(0, mark.begin)) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) under += c == '\t' ? '\t' : ' ';
  }
  under += std::string(std::max<std::size_t>(columns(std::string_view(line).substr(mark.begin, mark.length)), 1), '^');
  return "\n" + margin + " | " + line + "\n" + std::string(margin.size(), ' ') + " | " + under;
}

std::string line_at(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int at = 0; at < number && std::getline(lines, line); ++at) {
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

// The key of the path that stands in the line, which may be that of a value around it.
std::string key_on(const YamlLines& lines, std::string_view path) {
  while (!path.empty() && !lines.contains(path)) {
    const std::size_t end = path.find_last_of(".[");
    path = path.substr(0, end == std::string_view::npos ? 0 : end);
  }
  if (path.ends_with(']')) return "";
  return std::string(path.substr(path.find_last_of('.') + 1));
}

struct Shown {
  int line = 0;  // 0: of the file as a whole
  std::string text;
};

Shown shown(const ConfigError& error, const WrittenConfig& config, const YamlLines& lines) {
  constexpr int kBehindTheFile = std::numeric_limits<int>::max();
  const std::string place = place_of(error);
  const bool names_itself = error.path.empty() || error.what.starts_with(error.path);
  const std::string text = (names_itself ? "" : error.path + ": ") + error.what;
  if (const auto option = override_of(place, config, lines)) {
    return {.line = kBehindTheFile, .text = "from --config '" + *option + "': " + text};
  }
  // Other options of the command make configurations, too.
  if (config.file.empty()) return {.line = kBehindTheFile, .text = text};
  const std::string file = config.file == "-" ? "<standard input>" : config.file;
  const auto number = line_of(lines, place);
  if (!number) return {.line = 0, .text = file + ": " + text};
  const std::string line = line_at(config.text, *number);
  const bool is_about_key = !lines.contains(place) || !error.unknown_key.empty();
  return {.line = *number,
          .text = file + ":" + std::to_string(*number) + ": " + text +
                  quote(line, *number, mark_of(line, key_on(lines, place), is_about_key))};
}

}  // namespace

std::string with_places(const std::string& message, const WrittenConfig& config) {
  const std::size_t begin = message.find(kRoot);
  const bool is_at_start = begin == 0 || (begin != std::string::npos && message.substr(0, begin).ends_with(": "));
  if (!is_at_start) return message;
  const YamlLines lines = yaml_lines(config.text);
  std::multimap<int, std::string> all;  // as one reads the file
  auto latest = all.end();
  std::istringstream parts(message.substr(begin));
  for (std::string part; std::getline(parts, part);) {
    if (const auto error = read_error(part)) {
      Shown one = shown(*error, config, lines);
      latest = all.emplace(one.line, std::move(one.text));
    } else if (latest == all.end()) {
      latest = all.emplace(0, part);
    } else {
      latest->second += "\n" + part;  // the error before it has several lines
    }
  }
  // "invalid experiment configuration:", and each error on lines of its own.
  std::string text = begin == 0 ? "" : message.substr(0, begin - 1);
  for (const auto& [line, one] : all) text += (text.empty() ? "" : "\n") + one;
  return text;
}

}  // namespace det::cli
