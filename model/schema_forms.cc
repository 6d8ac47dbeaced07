// What changes a document: the long form, merging and defaults.
#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "model/schema.h"

namespace det::model {
namespace {

using nlohmann::json;

const json* find_value(const json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(key);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

// The long form of the field is one object (a list or a map holds several).
bool is_section(const Field& field) {
  return field.object != nullptr && field.type != Type::kList && field.type != Type::kMap;
}

void normalise_field(const Field& field, json& value) {
  if (field.type == Type::kInteger) value = whole_number(value).value_or(0);
  if (field.normalise != nullptr) field.normalise(value);
  if (field.object == nullptr) return;
  if (is_section(field)) return normalise(*field.object, value);
  for (json& element : value) normalise(*field.object, element);
}

json merge_maps(const Field& field, const json& ours, const json& theirs) {
  json merged = theirs;
  for (const auto& [key, value] : ours.items()) {
    json& slot = merged[key];
    slot = field.object != nullptr && slot.is_object() ? merge(*field.object, value, slot) : value;
  }
  return merged;
}

json merge_field(const Field& field, const json& ours, const json& theirs) {
  if (field.merge != nullptr) return field.merge(ours, theirs);
  if (is_section(field)) return merge(*field.object, ours, theirs);
  if (field.type == Type::kMap) return merge_maps(field, ours, theirs);
  return ours;
}

void fill(const Field& field, json& slot) {
  if (slot.is_null() && !field.fallback.empty()) slot = json::parse(field.fallback);
  if (field.object == nullptr || slot.is_null()) return;
  if (is_section(field)) return apply_defaults(*field.object, slot);
  for (json& element : slot) apply_defaults(*field.object, element);
}

}  // namespace

void normalise(const ObjectSchema& schema, json& value) {
  if (!value.is_object()) return;
  const Variant* variant = variant_of(schema, value);
  const auto visit = [&](const Field& field) {
    const auto it = value.find(field.name);
    if (it == value.end()) return;
    if (it->is_null() || field.dropped) {
      value.erase(it);
    } else {
      normalise_field(field, *it);
    }
  };
  for_each_field(schema, variant, visit);
  if (variant == nullptr) {
    for (const Variant& each : schema.variants) std::ranges::for_each(each.fields, visit);
  }
}

json merge(const ObjectSchema& schema, const json& ours, const json& theirs) {
  if (theirs.is_null()) return ours;
  if (ours.is_null()) return theirs;
  json merged = ours;
  const auto take = [&](const Field& field) {
    const json* their_value = find_value(theirs, field.name);
    if (their_value == nullptr) return;
    const json* our_value = find_value(ours, field.name);
    merged[std::string(field.name)] =
        our_value == nullptr ? *their_value : merge_field(field, *our_value, *their_value);
  };
  for_each_field(schema, nullptr, take);
  if (schema.tag.empty()) return merged;
  const Variant* their_variant = variant_of(schema, theirs);
  const bool same_kind = find_value(ours, schema.tag) == nullptr || variant_of(schema, ours) == their_variant;
  if (their_variant == nullptr || !same_kind) return merged;
  merged[std::string(schema.tag)] = theirs.at(std::string(schema.tag));
  std::ranges::for_each(their_variant->fields, take);
  return merged;
}

void apply_defaults(const ObjectSchema& schema, json& value) {
  if (value.is_null()) value = json::object();
  for_each_field(schema, variant_of(schema, value), [&](const Field& field) {
    if (field.dropped) return;
    const std::string name(field.name);
    json slot = value.contains(name) ? value[name] : json();
    fill(field, slot);
    if (slot.is_null() && field.omitted_when_null) {
      value.erase(name);
    } else {
      value[name] = std::move(slot);
    }
  });
}

}  // namespace det::model
