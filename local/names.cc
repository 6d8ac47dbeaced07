#include "local/names.h"

#include <algorithm>

namespace det::local {
namespace {

constexpr std::size_t kMaxSubdomain = 253;
constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxPortName = 15;
constexpr std::size_t kMaxUid = 128;

constexpr const char* kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr const char* kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr const char* kServiceRule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr const char* kLabelValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr const char* kNamePartRule =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr const char* kQualifiedRule =
    "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. "
    "'example.com/MyName')";
constexpr const char* kDataKeyRule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
constexpr const char* kEnvRule =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_letter(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}
bool is_lower_alphanumeric(char c) {
  return is_lower(c) || is_digit(c);
}
bool is_alphanumeric(char c) {
  return is_letter(c) || is_digit(c);
}

bool is_label(std::string_view text) {
  return !text.empty() && is_lower_alphanumeric(text.front()) && is_lower_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  for (auto dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
    if (!is_label(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
  return is_label(text);
}

bool is_name_part(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::string too_long(std::size_t most) {
  return "must be no more than " + std::to_string(most) + " bytes";
}

Faults faults(std::string_view text, std::size_t most, bool is_right, const char* rule) {
  Faults found;
  if (text.size() > most) found.push_back(too_long(most));
  if (!is_right) found.emplace_back(rule);
  return found;
}

bool has_backstep(std::string_view path) {
  while (true) {
    const auto slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

Faults dns_label_faults(std::string_view text) {
  return faults(text, kMaxLabel, is_label(text), kLabelRule);
}

Faults dns_subdomain_faults(std::string_view text) {
  return faults(text, kMaxSubdomain, is_subdomain(text), kSubdomainRule);
}

Faults service_name_faults(std::string_view text) {
  return faults(text, kMaxLabel, is_label(text) && is_lower(text.front()), kServiceRule);
}

Faults qualified_name_faults(std::string_view text) {
  Faults found;
  const auto slash = text.find('/');
  if (slash != text.rfind('/')) return {kQualifiedRule};
  std::string_view name = text;
  if (slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name.remove_prefix(slash + 1);
    if (prefix.empty()) {
      found.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& fault : dns_subdomain_faults(prefix)) found.push_back("prefix part " + fault);
    }
  }
  if (name.empty()) found.emplace_back("name part must be non-empty");
  if (name.size() > kMaxLabel) found.push_back("name part " + too_long(kMaxLabel));
  if (!is_name_part(name)) found.emplace_back(kNamePartRule);
  return found;
}

Faults label_value_faults(std::string_view text) {
  return faults(text, kMaxLabel, text.empty() || is_name_part(text), kLabelValueRule);
}

Faults port_name_faults(std::string_view text) {
  Faults found;
  if (text.size() > kMaxPortName) found.push_back(too_long(kMaxPortName));
  if (!std::ranges::all_of(text, [](char c) { return is_lower_alphanumeric(c) || c == '-'; })) {
    found.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::ranges::none_of(text, is_lower)) found.emplace_back("must contain at least one letter (a-z)");
  if (text.find("--") != std::string_view::npos) found.emplace_back("must not contain consecutive hyphens");
  if (text.starts_with('-') || text.ends_with('-')) found.emplace_back("must not begin or end with a hyphen");
  return found;
}

Faults data_key_faults(std::string_view text) {
  const bool is_right = !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  });
  Faults found = faults(text, kMaxSubdomain, is_right, kDataKeyRule);
  if (text == ".") {
    found.emplace_back("must not be '.'");
  } else if (text == "..") {
    found.emplace_back("must not be '..'");
  } else if (text.starts_with("..")) {
    found.emplace_back("must not start with '..'");
  }
  return found;
}

Faults env_name_faults(std::string_view text) {
  const bool is_right = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
  return is_right ? Faults() : Faults{kEnvRule};
}

Faults backstep_faults(std::string_view path) {
  return has_backstep(path) ? Faults{"must not contain '..'"} : Faults();
}

Faults inner_path_faults(std::string_view path) {
  Faults found;
  if (path.starts_with('/')) found.emplace_back("must be a relative path");
  if (has_backstep(path)) found.emplace_back("must not contain '..'");
  return found;
}

Faults item_path_faults(std::string_view path) {
  Faults found = inner_path_faults(path);
  if (path.starts_with("..") && !path.starts_with("../")) found.emplace_back("must not start with '..'");
  return found;
}

bool is_plain_uid(std::string_view text) {
  return !text.empty() && text.size() <= kMaxUid &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
}

}  // namespace det::local
