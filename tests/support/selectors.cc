#include "tests/support/selectors.h"

#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/json_get.h"

namespace det::test {
namespace {

using nlohmann::json;
using Lookup = std::optional<std::string> (*)(const json&, const std::string&);

std::optional<std::string> label(const json& object, const std::string& key) {
  const json& value = get_any(get_object(get_object(object, "metadata"), "labels"), key);
  if (!value.is_string()) return std::nullopt;
  return value.get<std::string>();
}

std::optional<std::string> field(const json& object, const std::string& path) {
  const json* at = &object;
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, '.');) at = &get_any(*at, part);
  return at->is_string() ? at->get<std::string>() : std::string();
}

bool matches_term(const json& object, const std::string& term, Lookup lookup) {
  if (const auto differs = term.find("!="); differs != std::string::npos) {
    return lookup(object, term.substr(0, differs)) != term.substr(differs + 2);
  }
  if (const auto equals = term.find('='); equals != std::string::npos) {
    const auto value = term.find_first_not_of('=', equals);
    return lookup(object, term.substr(0, equals)) == (value == std::string::npos ? "" : term.substr(value));
  }
  if (term.starts_with('!')) return !lookup(object, term.substr(1)).has_value();
  return lookup(object, term).has_value();
}

bool matches(const json& object, const std::string& selector, Lookup lookup) {
  std::istringstream terms(selector);
  for (std::string term; std::getline(terms, term, ',');) {
    if (!term.empty() && !matches_term(object, term, lookup)) return false;
  }
  return true;
}

}  // namespace

bool matches_labels(const json& object, const std::string& selector) {
  return matches(object, selector, label);
}
bool matches_fields(const json& object, const std::string& selector) {
  return matches(object, selector, field);
}

}  // namespace det::test
