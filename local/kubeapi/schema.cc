#include "local/kubeapi/schema.h"

#include <iterator>
#include <utility>

#include "base/json_get.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;
using Type = Schema::Type;

Type type_of(const json& source, const std::string& path, std::vector<FieldError>& errors) {
  const std::string text = get_string(source, "type");
  if (text.empty()) return Type::kAny;
  if (text == "object") return Type::kObject;
  if (text == "array") return Type::kArray;
  if (text == "string") return Type::kString;
  if (text == "integer") return Type::kInteger;
  if (text == "number") return Type::kNumber;
  if (text == "boolean") return Type::kBoolean;
  errors.push_back(not_supported(path + ".type", text, {"array", "boolean", "integer", "number", "object", "string"}));
  return Type::kAny;
}

std::optional<std::int64_t> count_of(const json& source, const char* key) {
  const json& value = get_any(source, key);
  if (!value.is_number()) return std::nullopt;
  return value.get<std::int64_t>();
}

std::optional<json> number_of(const json& source, const char* key) {
  const json& value = get_any(source, key);
  if (!value.is_number()) return std::nullopt;
  return value;
}

void compile_children(const json& source, const std::string& path, std::vector<FieldError>& errors, Schema& out) {
  for (const auto& [name, property] : get_object(source, "properties").items()) {
    out.properties.emplace(name, compile_schema(property, path + ".properties[" + name + "]", errors));
  }
  const json& additional = get_any(source, "additionalProperties");
  out.allows_additional = additional.is_object() || additional == true;
  if (additional.is_object()) {
    out.additional = std::make_shared<const Schema>(compile_schema(additional, path + ".additionalProperties", errors));
  }
  if (const json& items = get_any(source, "items"); items.is_object()) {
    out.items = std::make_shared<const Schema>(compile_schema(items, path + ".items", errors));
  }
  if (out.type == Type::kArray && out.items == nullptr)
    errors.push_back(required(path + ".items", "must be specified"));
}

void compile_rules(const json& source, Schema& out) {
  for (const json& given : get_array(source, "x-kubernetes-validations")) {
    const std::string text = get_string(given, "rule");
    const std::string message = get_string(given, "message");
    auto rule = CelRule::parse(text);
    if (rule == nullptr) continue;
    out.rules.push_back({.rule = std::move(rule),
                         .message = message.empty() ? "failed rule: " + text : message,
                         .field_path = get_string(given, "fieldPath")});
  }
  out.has_rules = !out.rules.empty() || (out.additional != nullptr && out.additional->has_rules) ||
                  (out.items != nullptr && out.items->has_rules);
  for (const auto& [name, property] : out.properties) out.has_rules = out.has_rules || property.has_rules;
}

}  // namespace

Schema compile_schema(const json& source, const std::string& path, std::vector<FieldError>& errors) {
  Schema out;
  out.type = type_of(source, path, errors);
  out.format = get_string(source, "format");
  out.is_nullable = get_bool(source, "nullable");
  out.is_int_or_string = get_bool(source, "x-kubernetes-int-or-string");
  out.preserves_unknown = get_bool(source, "x-kubernetes-preserve-unknown-fields");
  out.is_embedded = get_bool(source, "x-kubernetes-embedded-resource");
  if (get_string(source, "type").empty() && !out.is_int_or_string && !out.preserves_unknown) {
    errors.push_back(required(path + ".type", "must not be empty for specified object fields"));
  }
  compile_children(source, path, errors, out);
  for (const json& name : get_array(source, "required")) {
    if (name.is_string()) out.required.push_back(name.get<std::string>());
  }
  for (const json& value : get_array(source, "enum")) out.allowed.push_back(value);
  out.minimum = number_of(source, "minimum");
  out.maximum = number_of(source, "maximum");
  out.exclusive_minimum = get_bool(source, "exclusiveMinimum");
  out.exclusive_maximum = get_bool(source, "exclusiveMaximum");
  out.min_length = count_of(source, "minLength");
  out.max_length = count_of(source, "maxLength");
  out.min_items = count_of(source, "minItems");
  out.max_items = count_of(source, "maxItems");
  out.min_properties = count_of(source, "minProperties");
  out.max_properties = count_of(source, "maxProperties");
  if (const std::string text = get_string(source, "pattern"); !text.empty()) {
    auto pattern = Pattern::compile(text);
    if (pattern) {
      out.pattern = std::move(*pattern);
    } else {
      errors.push_back(invalid_value(path + ".pattern", text, pattern.error().message));
    }
  }
  if (const auto fallback = source.find("default"); fallback != source.end()) out.fallback = *fallback;
  compile_rules(source, out);
  return out;
}

std::vector<std::string> prune(const Schema& schema, json& value, const std::string& path) {
  std::vector<std::string> removed;
  const auto below = [&path](const std::string& name) { return path.empty() ? name : path + "." + name; };
  const auto descend = [&removed](const Schema& child, json& into, const std::string& where) {
    auto more = prune(child, into, where);
    removed.insert(removed.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  if (value.is_array() && schema.items != nullptr) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      descend(*schema.items, value[i], path + "[" + std::to_string(i) + "]");
    }
  }
  if (!value.is_object()) return removed;
  for (auto member = value.begin(); member != value.end();) {
    const auto known = schema.properties.find(member.key());
    const bool belongs =
        schema.is_embedded && (member.key() == "apiVersion" || member.key() == "kind" || member.key() == "metadata");
    if (known != schema.properties.end()) {
      if (member->is_null() && !known->second.is_nullable) {
        member = value.erase(member);
        continue;
      }
      descend(known->second, *member, below(member.key()));
    } else if (schema.additional != nullptr) {
      descend(*schema.additional, *member, below(member.key()));
    } else if (!schema.allows_additional && !schema.preserves_unknown && !belongs) {
      removed.push_back(below(member.key()));
      member = value.erase(member);
      continue;
    }
    ++member;
  }
  return removed;
}

void fill_defaults(const Schema& schema, json& value) {
  if (value.is_array() && schema.items != nullptr) {
    for (json& item : value) fill_defaults(*schema.items, item);
  }
  if (!value.is_object()) return;
  for (const auto& [name, property] : schema.properties) {
    if (property.fallback && !value.contains(name)) value[name] = *property.fallback;
  }
  for (auto& [name, member] : value.items()) {
    const auto known = schema.properties.find(name);
    if (known != schema.properties.end()) {
      fill_defaults(known->second, member);
    } else if (schema.additional != nullptr) {
      fill_defaults(*schema.additional, member);
    }
  }
}

}  // namespace det::local::kubeapi
