// What changes a document: the long form, merging and defaults.
#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "model/expconf/schema.h"

namespace det::model {
namespace {

using nlohmann::json;

const json* find_value(const json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(key);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

json merge_maps(const Field& field, const json& ours, const json& theirs) {
  json merged = theirs;
  for (const auto& [key, value] : ours.items()) {
    json& slot = merged[key];
    if (slot.is_object() && field.object != nullptr) {
      slot = merge(*field.object, value, slot);
    } else if (slot.is_object() && value.is_object() && field.element == Type::kAny) {
      slot = merge_maps(field, value, slot);
    } else {
      slot = value;
    }
  }
  return merged;
}

// Of a union without a tag only the common fields have a known form.
void erase_nulls(const Variant& variant, json& value) {
  for (const Field& field : variant.fields) {
    const auto it = value.find(field.name);
    if (it != value.end() && it->is_null()) value.erase(it);
  }
}

// What an open variant took without having it.
void erase_others(const ObjectSchema& schema, const Variant& variant, json& value) {
  for (const Variant& each : schema.variants) {
    for (const Field& field : each.fields) {
      const auto is_it = [&](const Field& known) { return known.name == field.name; };
      if (std::ranges::any_of(schema.fields, is_it) || std::ranges::any_of(variant.fields, is_it)) continue;
      value.erase(std::string(field.name));
    }
  }
}

}  // namespace

bool is_section(const Field& field) {
  return field.object != nullptr && field.type != Type::kList && field.type != Type::kMap;
}

void normalise(const Field& field, json& value) {
  if (value.is_null() && !field.null_is_value) return;
  if (field.type == Type::kInteger) value = whole_number(value).value_or(0);
  if (field.normalise != nullptr) field.normalise(value);
  if (field.normalise_item != nullptr) {
    for (json& element : value) field.normalise_item(element);
  }
  if (field.object == nullptr) return;
  if (is_section(field)) return normalise(*field.object, value);
  for (json& element : value) normalise(*field.object, element);
}

void normalise(const ObjectSchema& schema, json& value) {
  if (!value.is_object()) return;
  const Variant* variant = variant_of(schema, value);
  for_each_field(schema, variant, [&](const Field& field) {
    const auto it = value.find(field.name);
    if (it == value.end()) return;
    if (it->is_null() || field.dropped) {
      value.erase(it);
    } else {
      normalise(field, *it);
    }
  });
  if (variant == nullptr) {
    for (const Variant& each : schema.variants) erase_nulls(each, value);
  } else if (variant->is_open) {
    erase_others(schema, *variant, value);
  }
}

json merge(const Field& field, const json& ours, const json& theirs) {
  const bool has_ours = field.null_is_value || !ours.is_null();
  if (!has_ours || (theirs.is_null() && !field.null_is_value)) return has_ours ? ours : theirs;
  if (field.merge != nullptr) return field.merge(ours, theirs);
  if (is_section(field)) return merge(*field.object, ours, theirs);
  if (field.type == Type::kMap) return merge_maps(field, ours, theirs);
  return ours;
}

json merge(const ObjectSchema& schema, const json& ours, const json& theirs) {
  if (theirs.is_null()) return ours;
  if (ours.is_null()) return theirs;
  json merged = ours;
  const auto take = [&](const Field& field) {
    const json* their_value = find_value(theirs, field.name);
    if (their_value == nullptr) return;
    const json* our_value = find_value(ours, field.name);
    merged[std::string(field.name)] = our_value == nullptr ? *their_value : merge(field, *our_value, *their_value);
  };
  for_each_field(schema, nullptr, take);
  if (schema.tag.empty()) return merged;
  const Variant* our_variant = variant_of(schema, ours);
  const Variant* their_variant = variant_of(schema, theirs);
  const bool is_same = find_value(ours, schema.tag) == nullptr || our_variant == their_variant;
  if (their_variant == nullptr || !is_same) return merged;
  std::ranges::for_each(their_variant->fields, take);
  if (their_variant->regroup != nullptr) their_variant->regroup(ours, theirs, merged);
  return merged;
}

void fill(const Field& field, json& value, Fill with) {
  const bool is_default = with == Fill::kDefaults;
  if (value.is_null() && is_default && !field.fallback.empty()) value = json::parse(field.fallback);
  if (value.is_null()) return;
  if (is_default && field.complete != nullptr) field.complete(value);
  if (field.object == nullptr) return;
  if (is_section(field)) return fill(*field.object, value, with);
  for (json& element : value) fill(*field.object, element, with);
}

void fill(const ObjectSchema& schema, json& value, Fill with) {
  for_each_field(schema, variant_of(schema, value), [&](const Field& field) {
    if (field.dropped) return;
    const std::string name(field.name);
    json slot = value.contains(name) ? value[name] : json();
    fill(field, slot, with);
    if (slot.is_null() && field.omitted_when_null) {
      value.erase(name);
    } else {
      value[name] = std::move(slot);
    }
  });
}

}  // namespace det::model
