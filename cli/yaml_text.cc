#include "cli/yaml_text.h"

#include <algorithm>
#include <string_view>

#include "base/yaml.h"

namespace det::cli {
namespace {

using nlohmann::json;

constexpr std::string_view kPlainFirst = "-?:,[]{}#&*!|>'\"%@` \t";

// Whether the text may stand without quotes: no character that YAML reads, and no word that it takes for something
// else.
bool is_plain(const std::string& text) {
  if (text.empty() || kPlainFirst.find(text.front()) != std::string_view::npos || text.back() == ' ') {
    // "-x" and ":x" are fine for YAML but rare: quoting them costs nothing.
    return false;
  }
  if (text.back() == ':' || text.find(": ") != std::string::npos || text.find(" #") != std::string::npos) return false;
  if (std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; })) return false;
  const auto read = parse_yaml(text);
  return read && read->is_string() && *read == text;
}

std::string scalar(const json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (is_plain(text)) return text;
    const bool has_controls = std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    if (has_controls) return value.dump(-1, ' ', false, json::error_handler_t::replace);
    std::string quoted = "'";
    for (const char c : text) {
      if (c == '\'') quoted += '\'';
      quoted += c;
    }
    return quoted + "'";
  }
  std::string text = value.dump();
  if (value.is_number_float() && text.find('.') == std::string::npos) {
    // YAML 1.1 takes 1e-05 for a text.
    const auto exponent = text.find('e');
    if (exponent != std::string::npos) text.insert(exponent, ".0");
  }
  return text;
}

void write(const json& value, std::string& out, std::size_t indent);

void write_member(const json& value, std::string& out, std::size_t indent) {
  if (value.is_structured() && !value.empty()) {
    out += "\n";
    // Lists stand at the depth of their key.
    write(value, out, value.is_array() ? indent : indent + 2);
  } else {
    out += " " + scalar(value) + "\n";
  }
}

void write(const json& value, std::string& out, std::size_t indent) {
  const std::string space(indent, ' ');
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, member] : value.items()) {
      out += space + scalar(key) + ":";
      write_member(member, out, indent);
    }
  } else if (value.is_array() && !value.empty()) {
    for (const json& item : value) {
      if (item.is_structured() && !item.empty()) {
        std::string nested;
        write(item, nested, indent + 2);
        out += space + "- " + nested.substr(indent + 2);
      } else {
        out += space + "- " + scalar(item) + "\n";
      }
    }
  } else {
    out += space + scalar(value) + "\n";
  }
}

}  // namespace

std::string yaml_text(const json& value) {
  std::string out;
  write(value, out, 0);
  return out;
}

}  // namespace det::cli
