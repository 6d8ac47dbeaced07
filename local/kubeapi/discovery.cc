#include "local/kubeapi/discovery.h"

#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

constexpr const char* kVerbs[] = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};

json verbs_of(const std::string& subresource) {
  if (subresource == "status") return {"get", "patch", "update"};
  if (subresource == "log") return {"get"};
  if (!subresource.empty()) return {"create"};
  return kVerbs;
}

std::vector<std::string> subresources_of(const ResourceType& type) {
  std::vector<std::string> names;
  if (type.has_status) names.emplace_back("status");
  if (type.collection() == "pods") names.insert(names.end(), {"binding", "eviction", "log"});
  return names;
}

json resource_entry(const ResourceType& type, const std::string& subresource) {
  json entry = {{"name", type.plural + (subresource.empty() ? "" : "/" + subresource)},
                {"singularName", subresource.empty() ? type.singular : ""},
                {"namespaced", type.is_namespaced},
                {"kind", type.kind},
                {"verbs", verbs_of(subresource)}};
  if (!subresource.empty()) return entry;
  if (!type.short_names.empty()) entry["shortNames"] = type.short_names;
  if (!type.categories.empty()) entry["categories"] = type.categories;
  return entry;
}

json aggregated_entry(const ResourceType& type) {
  const json kind = {{"group", type.group}, {"version", type.version}, {"kind", type.kind}};
  json entry = {{"resource", type.plural},
                {"responseKind", kind},
                {"scope", type.is_namespaced ? "Namespaced" : "Cluster"},
                {"singularResource", type.singular},
                {"verbs", verbs_of("")}};
  if (!type.short_names.empty()) entry["shortNames"] = type.short_names;
  if (!type.categories.empty()) entry["categories"] = type.categories;
  for (const auto& name : subresources_of(type)) {
    entry["subresources"].push_back({{"subresource", name}, {"responseKind", kind}, {"verbs", verbs_of(name)}});
  }
  return entry;
}

// group -> its versions
std::map<std::string, std::set<std::string>> groups_of(const Registry& registry) {
  std::map<std::string, std::set<std::string>> groups;
  for (const TypeRef& type : registry.all()) groups[type->group].insert(type->version);
  return groups;
}

json group_entry(const std::string& group, const std::set<std::string>& versions) {
  json list = json::array();
  for (const auto& version : versions) list.push_back({{"groupVersion", group + "/" + version}, {"version", version}});
  json preferred = list.front();
  return {{"name", group}, {"versions", std::move(list)}, {"preferredVersion", std::move(preferred)}};
}

std::string openapi_path(const std::string& version) {
  return version.find('/') == std::string::npos ? "api/" + version : "apis/" + version;
}

// "dev.det-operator.v1alpha1.Trial"
std::string schema_name(const ResourceType& type) {
  return (type.group.empty() ? "core" : type.group) + "." + type.version + "." + type.kind;
}

json object_meta_schema() {
  const json text = {{"type", "string"}};
  const json texts = {{"type", "object"}, {"additionalProperties", text}};
  return {{"type", "object"},
          {"description", "What every object has. Fields that only the server writes are left out here."},
          {"properties",
           {{"name", text},
            {"generateName", text},
            {"namespace", text},
            {"labels", texts},
            {"annotations", texts},
            {"finalizers", {{"type", "array"}, {"items", text}}}}}};
}

json operations_of(const ResourceType& type) {
  const json kind = {{"group", type.group}, {"version", type.version}, {"kind", type.kind}};
  const auto parameter = [](const char* name) {
    return json{{"name", name}, {"in", "query"}, {"schema", {{"type", "string"}}}};
  };
  const json parameters = {parameter("dryRun"), parameter("fieldManager"), parameter("fieldValidation")};
  json operations = json::object();
  for (const char* method : {"get", "patch", "put", "delete"}) {
    operations[method] = {{"x-kubernetes-group-version-kind", kind},
                          {"responses", {{"200", {{"description", "OK"}}}}},
                          {"parameters", parameters}};
  }
  return operations;
}

}  // namespace

json version_info() {
  return {{"major", "1"},    {"minor", "36"},           {"gitVersion", "v1.36.0-det-operator"},
          {"gitCommit", ""}, {"gitTreeState", "clean"}, {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", ""}, {"compiler", "clang"},     {"platform", "linux/amd64"}};
}

json api_versions() {
  return {{"kind", "APIVersions"}, {"versions", {"v1"}}, {"serverAddressByClientCIDRs", json::array()}};
}

json api_groups(const Registry& registry) {
  json groups = json::array();
  for (const auto& [group, versions] : groups_of(registry)) {
    if (!group.empty()) groups.push_back(group_entry(group, versions));
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

json api_group(const Registry& registry, const std::string& group) {
  const auto groups = groups_of(registry);
  const auto found = groups.find(group);
  if (group.empty() || found == groups.end()) return nullptr;
  json entry = group_entry(group, found->second);
  entry["kind"] = "APIGroup";
  entry["apiVersion"] = "v1";
  return entry;
}

json api_resources(const Registry& registry, const std::string& version) {
  json resources = json::array();
  for (const TypeRef& type : registry.of_version(version)) {
    resources.push_back(resource_entry(*type, ""));
    for (const auto& name : subresources_of(*type)) resources.push_back(resource_entry(*type, name));
  }
  if (resources.empty()) return nullptr;
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", version},
          {"resources", std::move(resources)}};
}

json aggregated_discovery(const Registry& registry, bool is_core) {
  json items = json::array();
  for (const auto& [group, versions] : groups_of(registry)) {
    if (group.empty() != is_core) continue;
    json list = json::array();
    for (const auto& version : versions) {
      json resources = json::array();
      for (const TypeRef& type : registry.of_version(group.empty() ? version : group + "/" + version)) {
        resources.push_back(aggregated_entry(*type));
      }
      list.push_back({{"version", version}, {"freshness", "Current"}, {"resources", std::move(resources)}});
    }
    const json meta = group.empty() ? json::object() : json{{"name", group}};
    items.push_back({{"metadata", meta}, {"versions", std::move(list)}});
  }
  return {{"kind", "APIGroupDiscoveryList"},
          {"apiVersion", "apidiscovery.k8s.io/v2"},
          {"metadata", json::object()},
          {"items", std::move(items)}};
}

// message Document { string swagger = 1; Info info = 2; Paths paths = 8; }  message Info { string title = 1; string
// version = 2; }
std::string openapi_v2_message() {
  const auto field = [](int number, const std::string& content) {
    constexpr int kLengthDelimited = 2;
    return std::string{static_cast<char>(number << 3 | kLengthDelimited), static_cast<char>(content.size())} + content;
  };
  return field(1, "2.0") + field(2, field(1, "det-operator") + field(2, "v1")) + field(8, "");
}

json openapi_index(const Registry& registry) {
  json paths = json::object();
  for (const TypeRef& type : registry.all()) {
    const std::string path = openapi_path(type->api_version());
    paths[path] = {{"serverRelativeURL", "/openapi/v3/" + path}};
  }
  return {{"paths", std::move(paths)}};
}

json openapi_document(const Registry& registry, const std::string& version) {
  json paths = json::object();
  json schemas = {{"ObjectMeta", object_meta_schema()}};
  for (const TypeRef& type : registry.of_version(version)) {
    std::string path = "/" + openapi_path(version) + "/";
    if (type->is_namespaced) path += "namespaces/{namespace}/";
    paths[path + type->plural + "/{name}"] = operations_of(*type);
    json schema = type->schema_source;
    schema["properties"]["metadata"] = {{"allOf", {{{"$ref", "#/components/schemas/ObjectMeta"}}}},
                                        {"description", "Name, labels and what else every object has."}};
    schema["x-kubernetes-group-version-kind"] = {
        {{"group", type->group}, {"version", type->version}, {"kind", type->kind}}};
    schemas[schema_name(*type)] = std::move(schema);
  }
  if (paths.empty()) return nullptr;
  return {{"openapi", "3.0.0"},
          {"info", {{"title", "det-operator embedded Kubernetes API"}, {"version", "v1"}}},
          {"paths", std::move(paths)},
          {"components", {{"schemas", std::move(schemas)}}}};
}

}  // namespace det::local::kubeapi
