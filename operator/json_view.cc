#include "operator/json_view.h"

#include <nlohmann/json.hpp>

namespace det::op {

using nlohmann::json;

const json& value_at(const json& object, std::string_view name) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

const json& list_at(const json& object, std::string_view name) {
  static const json kEmpty = json::array();
  const json& value = value_at(object, name);
  return value.is_array() ? value : kEmpty;
}

std::string text_at(const json& object, std::string_view name) {
  const json& value = value_at(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t number_at(const json& object, std::string_view name) {
  const json& value = value_at(object, name);
  return value.is_number() ? value.get<std::int64_t>() : 0;
}

bool truth_at(const json& object, std::string_view name) {
  const json& value = value_at(object, name);
  return value.is_boolean() && value.get<bool>();
}

}  // namespace det::op
