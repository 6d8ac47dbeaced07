#include "base/json_get.h"

#include <nlohmann/json.hpp>

namespace det {

using nlohmann::json;

const json& get_any(const json& object, std::string_view key) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  const auto member = object.find(key);
  return member == object.end() ? kNull : *member;
}

std::string get_string(const json& object, std::string_view key) {
  const json& value = get_any(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t get_integer(const json& object, std::string_view key) {
  const json& value = get_any(object, key);
  if (value.is_number_integer()) return value.get<std::int64_t>();
  // Beyond it a double holds no whole numbers, and the cast would mean nothing.
  constexpr double kMost = 9007199254740992;
  const double number = value.is_number() ? value.get<double>() : 0;
  return number >= -kMost && number <= kMost ? static_cast<std::int64_t>(number) : 0;
}

bool get_bool(const json& object, std::string_view key) {
  const json& value = get_any(object, key);
  return value.is_boolean() && value.get<bool>();
}

const json& get_object(const json& object, std::string_view key) {
  static const json kEmpty = json::object();
  const json& value = get_any(object, key);
  return value.is_object() ? value : kEmpty;
}

const json& get_array(const json& object, std::string_view key) {
  static const json kEmpty = json::array();
  const json& value = get_any(object, key);
  return value.is_array() ? value : kEmpty;
}

}  // namespace det
