#include "model/expconf/schema_place.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

namespace det::model {
namespace {

using nlohmann::json;

// nullptr: it is no list, or shorter.
const json* item_of(const json* list, std::string_view index) {
  std::size_t at = 0;
  const auto read = std::from_chars(index.data(), index.data() + index.size(), at);
  if (read.ec != std::errc() || list == nullptr || !list->is_array() || at >= list->size()) return nullptr;
  return &(*list)[at];
}

void add_names(std::span<const Field> fields, std::vector<std::string_view>& names) {
  for (const Field& field : fields) {
    if (!field.dropped && std::ranges::find(names, field.name) == names.end()) names.push_back(field.name);
  }
}

}  // namespace

const json* member_of(const json* object, std::string_view name) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(name);
  return found == object->end() ? nullptr : &*found;
}

const Field* field_named(const ObjectSchema& schema, std::string_view name) {
  const auto found = std::ranges::find(schema.fields, name, &Field::name);
  if (found != schema.fields.end()) return &*found;
  for (const Variant& variant : schema.variants) {
    const auto own = std::ranges::find(variant.fields, name, &Field::name);
    if (own != variant.fields.end()) return &*own;
  }
  return nullptr;
}

std::vector<std::string_view> field_names(const SchemaPlace& place) {
  std::vector<std::string_view> names;
  if (place.schema == nullptr) return names;
  add_names(place.schema->fields, names);
  const Variant* own = place.value == nullptr ? nullptr : variant_of(*place.schema, *place.value);
  if (own != nullptr) {
    add_names(own->fields, names);
  } else {
    for (const Variant& variant : place.schema->variants) add_names(variant.fields, names);
  }
  return names;
}

SchemaPlace place_at(std::string_view path, const json& written, const ObjectSchema& root) {
  SchemaPlace place{.value = &written, .schema = &root};
  while (!path.empty()) {
    if (path[0] == '.') path.remove_prefix(1);
    if (path.starts_with('[')) {
      const std::size_t end = std::min(path.find(']'), path.size() - 1);
      place.value = item_of(place.value, path.substr(1, end - 1));
      path.remove_prefix(end + 1);
      continue;
    }
    const std::string_view name = path.substr(0, path.find_first_of(".["));
    if (name.empty()) return {};
    path.remove_prefix(name.size());
    const Field* field = place.schema == nullptr ? nullptr : field_named(*place.schema, name);
    place.value = member_of(place.value, name);
    place.schema = field == nullptr ? nullptr : field->object;
  }
  return place;
}

}  // namespace det::model
