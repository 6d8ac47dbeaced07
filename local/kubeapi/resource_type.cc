#include "local/kubeapi/resource_type.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/json_get.h"
#include "base/lower_case.h"
#include "base/yaml.h"

namespace det::local {

// Generated from local/kubeapi/builtin/*.yaml (cmake/EmbedFiles.cmake).
std::vector<std::pair<std::string_view, std::string_view>> builtin_definitions();

}  // namespace det::local

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

std::vector<std::string> strings_of(const json& array) {
  std::vector<std::string> out;
  for (const json& value : array) {
    if (value.is_string()) out.push_back(value.get<std::string>());
  }
  return out;
}

void read_columns(const json& version, const std::string& path, ResourceType& type, std::vector<FieldError>& errors) {
  std::size_t place = 0;
  for (const json& column : get_array(version, "additionalPrinterColumns")) {
    const std::string where = path + ".additionalPrinterColumns[" + std::to_string(place++) + "]";
    const std::string text = get_string(column, "jsonPath");
    auto parsed = JsonPath::parse(text);
    if (!parsed) {
      errors.push_back(invalid_value(where + ".jsonPath", text, parsed.error().message));
      continue;
    }
    type.columns.push_back({.name = get_string(column, "name"),
                            .type = get_string(column, "type"),
                            .format = get_string(column, "format"),
                            .description = get_string(column, "description"),
                            .priority = static_cast<int>(get_integer(column, "priority")),
                            .path = std::move(*parsed)});
  }
  for (const json& field : get_array(version, "selectableFields")) {
    type.selectable_fields.push_back(get_string(field, "jsonPath"));
  }
}

void read_version(const json& spec, ResourceType& type, std::vector<FieldError>& errors) {
  const json& versions = get_array(spec, "versions");
  if (versions.empty()) {
    errors.push_back(required("spec.versions"));
    return;
  }
  if (versions.size() > 1) {
    errors.push_back(invalid_value("spec.versions", versions.size(),
                                   "the embedded API serves one version of a resource; leave one"));
    return;
  }
  const json& version = versions.front();
  type.version = get_string(version, "name");
  if (type.version.empty()) errors.push_back(required("spec.versions[0].name"));
  type.has_status = get_object(version, "subresources").contains("status");
  type.schema_source = get_any(get_object(version, "schema"), "openAPIV3Schema");
  const std::string path = "spec.versions[0]";
  if (!type.schema_source.is_object()) {
    errors.push_back(required(path + ".schema.openAPIV3Schema", "schemas are required"));
    return;
  }
  type.schema = compile_schema(type.schema_source, path + ".schema.openAPIV3Schema", errors);
  read_columns(version, path, type, errors);
}

TypeRef builtin(std::string_view text) {
  const auto definition = parse_yaml(text);
  DET_CHECK(definition.has_value(), "a built-in definition is YAML");
  std::vector<FieldError> errors;
  auto type = std::make_shared<ResourceType>(read_definition(*definition, errors));
  DET_CHECK(errors.empty(), "a built-in definition is a valid one");
  type->is_custom = false;
  return type;
}

}  // namespace

std::string ResourceType::api_version() const {
  return group.empty() ? version : group + "/" + version;
}

std::string ResourceType::collection() const {
  return group.empty() ? plural : plural + "." + group;
}

Subject ResourceType::subject(std::string name) const {
  return {.group = group, .plural = plural, .kind = kind, .name = std::move(name)};
}

ResourceType read_definition(const json& definition, std::vector<FieldError>& errors) {
  const json& spec = get_object(definition, "spec");
  const json& names = get_object(spec, "names");
  ResourceType type;
  type.is_custom = true;
  type.group = get_string(spec, "group");
  type.plural = get_string(names, "plural");
  type.kind = get_string(names, "kind");
  type.singular = get_string(names, "singular");
  if (type.singular.empty()) type.singular = lower_case(type.kind);
  type.list_kind = get_string(names, "listKind");
  if (type.list_kind.empty()) type.list_kind = type.kind + "List";
  type.short_names = strings_of(get_array(names, "shortNames"));
  type.categories = strings_of(get_array(names, "categories"));
  type.is_namespaced = get_string(spec, "scope") != "Cluster";
  if (type.plural.empty()) errors.push_back(required("spec.names.plural"));
  if (type.kind.empty()) errors.push_back(required("spec.names.kind"));
  const std::string name = get_string(get_object(definition, "metadata"), "name");
  if (!type.plural.empty() && name != type.collection()) {
    errors.push_back(invalid_value("metadata.name", name, "must be spec.names.plural+\".\"+spec.group"));
  }
  read_version(spec, type, errors);
  return type;
}

Registry::Registry() {
  for (const auto& [name, text] : builtin_definitions()) add(builtin(text));
}

void Registry::add(TypeRef type) {
  by_collection_[type->collection()] = std::move(type);
}

void Registry::remove(const std::string& collection) {
  by_collection_.erase(collection);
}

TypeRef Registry::find(std::string_view group, std::string_view version, std::string_view plural) const {
  std::string collection(plural);
  if (!group.empty()) collection.append(".").append(group);
  TypeRef type = find_collection(collection);
  return type != nullptr && type->version == version ? type : nullptr;
}

TypeRef Registry::find_collection(const std::string& collection) const {
  const auto found = by_collection_.find(collection);
  return found == by_collection_.end() ? nullptr : found->second;
}

std::vector<TypeRef> Registry::all() const {
  std::vector<TypeRef> types;
  for (const auto& [collection, type] : by_collection_) types.push_back(type);
  std::ranges::sort(types, {}, [](const TypeRef& type) { return std::pair(type->group, type->plural); });
  return types;
}

std::vector<TypeRef> Registry::of_version(std::string_view api_version) const {
  std::vector<TypeRef> types = all();
  std::erase_if(types, [&](const TypeRef& type) { return type->api_version() != api_version; });
  return types;
}

}  // namespace det::local::kubeapi
