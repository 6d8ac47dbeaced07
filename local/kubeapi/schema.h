#pragma once

// Structural OpenAPI v3 schemas of custom resources: compiled once, then used to prune unknown fields, to fill defaults
// and to check values with the real server's texts. Of x-kubernetes-validations those count that local/kubeapi/cel.h
// understands. Not enforced: allOf/anyOf/oneOf/not, formats other than date-time, list types. Pure; any thread.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/pattern.h"
#include "local/kubeapi/api_error.h"
#include "local/kubeapi/cel.h"

namespace det::local::kubeapi {

// One of x-kubernetes-validations.
struct SchemaRule {
  std::shared_ptr<const CelRule> rule;
  std::string message;
  std::string field_path;  // of what it speaks of, below the value: ".spec.context"; empty: the value
};

struct Schema {
  enum class Type : std::uint8_t { kAny, kObject, kArray, kString, kInteger, kNumber, kBoolean };

  Type type = Type::kAny;
  std::string format;
  bool is_nullable = false;
  bool is_int_or_string = false;
  bool preserves_unknown = false;
  bool is_embedded = false;  // x-kubernetes-embedded-resource: apiVersion, kind and metadata belong to it
  std::map<std::string, Schema> properties;
  bool allows_additional = false;            // additionalProperties: true, or a schema
  std::shared_ptr<const Schema> additional;  // the schema, when there is one
  std::shared_ptr<const Schema> items;
  std::vector<std::string> required;
  std::vector<nlohmann::json> allowed;  // enum
  std::optional<nlohmann::json> minimum;
  std::optional<nlohmann::json> maximum;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<std::int64_t> min_length;
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> min_items;
  std::optional<std::int64_t> max_items;
  std::optional<std::int64_t> min_properties;
  std::optional<std::int64_t> max_properties;
  std::shared_ptr<const Pattern> pattern;
  std::optional<nlohmann::json> fallback;  // default
  std::vector<SchemaRule> rules;
  bool has_rules = false;  // it, or a schema below it
};

// Compiles `source` (openAPIV3Schema). What cannot be understood is added to `errors` with its path below `path`.
[[nodiscard]] Schema compile_schema(const nlohmann::json& source, const std::string& path,
                                    std::vector<FieldError>& errors);

// Removes what the schema does not know and returns the paths: "spec.x", "spec.list[0].y". Null values of fields that
// are not nullable are removed too, without a mention: null means "not set" there.
std::vector<std::string> prune(const Schema& schema, nlohmann::json& value, const std::string& path = {});

// Fills defaults in every object that is there.
void fill_defaults(const Schema& schema, nlohmann::json& value);

// All that is wrong with `value`.
void validate(const Schema& schema, const nlohmann::json& value, const std::string& path,
              std::vector<FieldError>& errors);

// What the schema's rules say against `value`, which is valid otherwise; `before`: what it was, nullptr when it is new.
// As on the real server, a part that did not change is not judged again.
void validate_rules(const Schema& schema, const nlohmann::json& value, const nlohmann::json* before,
                    const std::string& path, std::vector<FieldError>& errors);

}  // namespace det::local::kubeapi
