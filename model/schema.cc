#include "model/schema.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace det::model {
namespace {

using nlohmann::json;

std::string_view type_text(Type type) {
  switch (type) {
    case Type::kBoolean:
      return "boolean";
    case Type::kInteger:
      return "integer";
    case Type::kNumber:
      return "number";
    case Type::kString:
      return "string";
    case Type::kList:
      return "array";
    case Type::kObject:
    case Type::kMap:
      return "object";
    case Type::kAny:
      return "anything";
  }
  return "anything";
}

bool has_type(const json& value, Type type) {
  switch (type) {
    case Type::kBoolean:
      return value.is_boolean();
    case Type::kInteger:
      return whole_number(value).has_value();
    case Type::kNumber:
      return value.is_number();
    case Type::kString:
      return value.is_string();
    case Type::kList:
      return value.is_array();
    case Type::kObject:
    case Type::kMap:
      return value.is_object();
    case Type::kAny:
      return true;
  }
  return true;
}

void check_bounds(const Field& field, const json& value, std::string_view path, FieldErrors& errors) {
  const auto number = value.get<double>();
  const auto complain = [&](std::string_view relation, std::int64_t bound) {
    add_field_error(errors, path,
                    "must be " + std::string(relation) + " " + std::to_string(bound) + " but found " + value.dump());
  };
  if (field.minimum && number < static_cast<double>(*field.minimum)) complain(">=", *field.minimum);
  if (field.above && number <= static_cast<double>(*field.above)) complain(">", *field.above);
  if (field.maximum && number > static_cast<double>(*field.maximum)) complain("<=", *field.maximum);
}

void check_words(const Field& field, const json& value, std::string_view path, FieldErrors& errors) {
  const auto& text = value.get_ref<const std::string&>();
  if (field.words.empty() || std::ranges::find(field.words, text) != field.words.end()) return;
  std::string message = "value must be one of <nil>";
  for (const std::string_view word : field.words) message += ", \"" + std::string(word) + "\"";
  add_field_error(errors, path, std::move(message));
}

void check_element(const Field& field, const json& value, const std::string& path, FieldErrors& errors) {
  if (field.object != nullptr) {
    if (value.is_object()) return validate(*field.object, value, path, errors);
    return add_field_error(errors, path, expected_text("object", value));
  }
  if (!has_type(value, field.element)) add_field_error(errors, path, expected_text(type_text(field.element), value));
}

void validate_field(const Field& field, const json& value, const std::string& path, FieldErrors& errors) {
  if (!has_type(value, field.type)) {
    return add_field_error(errors, path, expected_text(std::string(type_text(field.type)) + " or null", value));
  }
  if (field.type == Type::kInteger || field.type == Type::kNumber) check_bounds(field, value, path, errors);
  if (field.type == Type::kString) check_words(field, value, path, errors);
  if (field.type == Type::kObject && field.object != nullptr) validate(*field.object, value, path, errors);
  const bool has_elements = field.object != nullptr || field.element != Type::kAny;
  if (field.type == Type::kList && has_elements) {
    for (std::size_t i = 0; i < value.size(); ++i) check_element(field, value[i], item_path(path, i), errors);
  }
  if (field.type == Type::kMap && has_elements) {
    for (const auto& [key, element] : value.items()) check_element(field, element, child_path(path, key), errors);
  }
  if (field.check != nullptr) field.check(value, path, errors);
}

bool tag_is_set(const ObjectSchema& schema, const json& value) {
  const auto it = value.find(schema.tag);
  return it != value.end() && !it->is_null();
}

}  // namespace

const Variant* variant_of(const ObjectSchema& schema, const json& value) {
  if (schema.tag.empty() || !value.is_object()) return nullptr;
  const auto it = value.find(schema.tag);
  if (it == value.end() || !it->is_string()) return nullptr;
  const auto found = std::ranges::find(schema.variants, it->get_ref<const std::string&>(), &Variant::tag);
  return found == schema.variants.end() ? nullptr : &*found;
}

void validate(const ObjectSchema& schema, const json& value, std::string_view path, FieldErrors& errors) {
  if (value.is_null()) return;
  if (!value.is_object()) return add_field_error(errors, path, expected_text("object or null", value));
  const Variant* variant = variant_of(schema, value);
  const bool is_untagged_union = !schema.tag.empty() && !tag_is_set(schema, value);
  if (!schema.tag.empty() && variant == nullptr && !is_untagged_union) {
    return add_field_error(errors, path, std::string(schema.tag_error));
  }
  std::set<std::string_view> known;
  const auto visit = [&](const Field& field) {
    const bool is_new = known.insert(field.name).second;
    const auto it = value.find(field.name);
    if (it == value.end() || it->is_null()) {
      if (field.required && (is_new || !is_untagged_union)) {
        add_field_error(errors, path, "missing properties: \"" + std::string(field.name) + "\"");
      }
    } else if (is_new) {
      validate_field(field, *it, child_path(path, field.name), errors);
    }
  };
  for_each_field(schema, variant, visit);
  if (is_untagged_union) {
    for (const Variant& each : schema.variants) std::ranges::for_each(each.fields, visit);
  }
  std::vector<std::string> unknown;
  for (const auto& [key, member] : value.items()) {
    if (!known.contains(key) && key != schema.tag) unknown.push_back(key);
  }
  if (!unknown.empty()) add_field_error(errors, path, unknown_keys_text(unknown));
  if (schema.check != nullptr) schema.check(value, path, errors);
}

void check_complete(const ObjectSchema& schema, const json& value, std::string_view path, FieldErrors& errors) {
  if (!value.is_object()) return;
  const Variant* variant = variant_of(schema, value);
  if (!schema.tag.empty() && variant == nullptr) return add_field_error(errors, path, std::string(schema.tag_error));
  for_each_field(schema, variant, [&](const Field& field) {
    const auto it = value.find(field.name);
    if (it == value.end() || it->is_null()) {
      if (field.eventually) add_field_error(errors, path, std::string(field.name) + " is a required property");
    } else if (field.type == Type::kObject && field.object != nullptr) {
      check_complete(*field.object, *it, child_path(path, field.name), errors);
    }
  });
  if (schema.check_complete != nullptr) schema.check_complete(value, path, errors);
  if (variant != nullptr && variant->check_complete != nullptr) variant->check_complete(value, path, errors);
}

}  // namespace det::model
