#include "model/expconf/schema.h"

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
  std::string message;
  if (!field.required) message = "<nil>";
  for (const std::string_view word : field.words) {
    message += (message.empty() ? "\"" : ", \"") + std::string(word) + "\"";
  }
  message.insert(0, field.words.size() == 1 ? "value must be " : "value must be one of ");
  add_field_error(errors, path, std::move(message));
}

void check_element(const Field& field, const json& value, const std::string& path, FieldErrors& errors, Rules rules) {
  if (field.check_item != nullptr) return field.check_item(value, path, errors);
  if (field.object != nullptr) {
    if (value.is_object()) return validate(*field.object, value, path, errors, rules);
    return add_field_error(errors, path, expected_text("object", value));
  }
  if (!has_type(value, field.element)) add_field_error(errors, path, expected_text(type_text(field.element), value));
}

void check_elements(const Field& field, const json& value, std::string_view path, FieldErrors& errors, Rules rules) {
  if (field.object == nullptr && field.element == Type::kAny && field.check_item == nullptr) return;
  if (field.type == Type::kList) {
    for (std::size_t i = 0; i < value.size(); ++i) check_element(field, value[i], item_path(path, i), errors, rules);
  } else if (field.type == Type::kMap) {
    for (const auto& [key, element] : value.items()) {
      check_element(field, element, child_path(path, key), errors, rules);
    }
  }
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

void validate(const Field& field, const json& value, std::string_view path, FieldErrors& errors, Rules rules) {
  if (!has_type(value, field.type)) {
    const std::string type(type_text(field.type));
    return add_field_error(errors, path, expected_text(field.required ? type : type + " or null", value));
  }
  if (field.type == Type::kInteger || field.type == Type::kNumber) check_bounds(field, value, path, errors);
  if (field.type == Type::kString) check_words(field, value, path, errors);
  if (field.type == Type::kObject && field.object != nullptr) validate(*field.object, value, path, errors, rules);
  if (rules == Rules::kRunnable && field.most_items > 0 && value.is_array() && value.size() > field.most_items) {
    return add_field_error(
        errors, path,
        "must have at most " + std::to_string(field.most_items) + " items but found " + std::to_string(value.size()));
  }
  check_elements(field, value, path, errors, rules);
  if (field.check != nullptr) field.check(value, path, errors);
  if (rules == Rules::kRunnable && field.check_runnable != nullptr) field.check_runnable(value, path, errors);
}

void validate(const ObjectSchema& schema, const json& value, std::string_view path, FieldErrors& errors, Rules rules) {
  if (value.is_null()) return;
  if (!value.is_object()) return add_field_error(errors, path, expected_text("object or null", value));
  const Variant* variant = variant_of(schema, value);
  if (!schema.tag.empty() && variant == nullptr && tag_is_set(schema, value)) {
    return add_field_error(errors, path, std::string(schema.tag_error));
  }
  std::set<std::string_view> known;
  std::string missing;
  for_each_field(schema, variant, [&](const Field& field) {
    known.insert(field.name);
    const auto it = value.find(field.name);
    if (it == value.end()) {
      if (field.required) missing += (missing.empty() ? "\"" : ", \"") + std::string(field.name) + "\"";
    } else if (field.required || !it->is_null()) {
      validate(field, *it, child_path(path, field.name), errors, rules);
    }
  });
  if (!missing.empty()) add_field_error(errors, path, "missing properties: " + missing);
  // Without a tag the fields are looked at when the tag is known, after merging.
  if (variant == nullptr || variant->is_open) {
    for (const Variant& each : schema.variants) {
      for (const Field& field : each.fields) known.insert(field.name);
    }
  }
  std::vector<std::string> unknown;
  for (const auto& [key, member] : value.items()) {
    if (!known.contains(key)) unknown.push_back(key);
  }
  if (!unknown.empty()) add_field_error(errors, path, unknown_keys_text(unknown));
  if (schema.check != nullptr) schema.check(value, path, errors);
}

void check_complete(const Field& field, const json& value, std::string_view path, FieldErrors& errors) {
  if (field.object == nullptr) return;
  if (is_section(field)) return check_complete(*field.object, value, path, errors);
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) check_complete(*field.object, value[i], item_path(path, i), errors);
  }
}

void check_complete(const ObjectSchema& schema, const json& value, std::string_view path, FieldErrors& errors) {
  if (!value.is_object()) return;
  const Variant* variant = variant_of(schema, value);
  if (!schema.tag.empty() && variant == nullptr) return add_field_error(errors, path, std::string(schema.tag_error));
  for_each_field(schema, variant, [&](const Field& field) {
    const auto it = value.find(field.name);
    if (it == value.end() || it->is_null()) {
      if (field.eventually) add_field_error(errors, path, std::string(field.name) + " is a required property");
    } else {
      check_complete(field, *it, child_path(path, field.name), errors);
    }
  });
  if (schema.check_complete != nullptr) schema.check_complete(value, path, errors);
  if (variant != nullptr && variant->check_complete != nullptr) variant->check_complete(value, path, errors);
}

}  // namespace det::model
