#pragma once

// What kinds of objects there are: the built-in ones (local/kubeapi/builtin/*.yaml) and those that
// CustomResourceDefinition objects define, in one form. Values; the registry belongs to the io thread.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "local/kubeapi/api_error.h"
#include "local/kubeapi/json_path.h"
#include "local/kubeapi/schema.h"

namespace det::local::kubeapi {

struct PrinterColumn {
  std::string name;
  std::string type;
  std::string format;
  std::string description;
  int priority = 0;  // more than 0: only with -o wide
  JsonPath path;
};

struct ResourceType {
  std::string group;
  std::string version;
  std::string plural;
  std::string singular;
  std::string kind;
  std::string list_kind;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool is_namespaced = true;
  bool has_status = false;  // the status subresource: each side ignores the other's fields
  bool is_custom = false;
  nlohmann::json schema_source;
  Schema schema;
  std::vector<PrinterColumn> columns;
  std::vector<std::string> selectable_fields;  // ".spec.pool"

  // "v1" or "group/version".
  [[nodiscard]] std::string api_version() const;
  // What names the collection in the store: "pods", "trials.det-operator.dev".
  [[nodiscard]] std::string collection() const;
  [[nodiscard]] Subject subject(std::string name) const;
};
using TypeRef = std::shared_ptr<const ResourceType>;

// Reads a CustomResourceDefinition. What is wrong is added to `errors`; the type is then not to be used.
[[nodiscard]] ResourceType read_definition(const nlohmann::json& definition, std::vector<FieldError>& errors);

class Registry {
 public:
  // With the built-in types.
  Registry();

  void add(TypeRef type);
  void remove(const std::string& collection);
  // Null when there is none.
  [[nodiscard]] TypeRef find(std::string_view group, std::string_view version, std::string_view plural) const;
  [[nodiscard]] TypeRef find_collection(const std::string& collection) const;
  // By group, then plural.
  [[nodiscard]] std::vector<TypeRef> all() const;
  // Types of "v1" or "group/version".
  [[nodiscard]] std::vector<TypeRef> of_version(std::string_view api_version) const;

 private:
  std::map<std::string, TypeRef> by_collection_;
};

inline constexpr const char* kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";

}  // namespace det::local::kubeapi
