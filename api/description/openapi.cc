#include "api/description/openapi.h"

#include <set>
#include <string>

#include "api/description/notation.h"
#include "api/description/operation.h"
#include "base/json_get.h"
#include "base/lower_case.h"
#include "wire/cluster.h"

namespace det::api {

namespace {

using nlohmann::json;

constexpr const char* kAbout =
    "The REST API of det-operator, which clients of Determined speak. Query parameters and members of bodies are taken "
    "in snake_case, too; those that are not described are ignored, and null stands for what is left out. Members "
    "of answers may be added.";

// Errors that many routes have, by the name that operations refer to.
json shared_responses() {
  const auto response = [](const char* text, const char* form) {
    const json schema = {{"$ref", form_reference(form)}};
    return json{{"description", text}, {"content", {{"application/json", {{"schema", schema}}}}}};
  };
  return {{"ApiError", response("What is wrong.", "Error")}, {"PlainError", response("What is wrong.", "PlainError")}};
}

Result<json> schemas_of(const Description& description) {
  json schemas = json::object();
  for (const auto& [name, written] : description.forms) {
    auto form = read_value_form(written);
    if (!form) return std::unexpected(with_context(form.error(), name));
    schemas["v1" + name] = std::move(form->schema);
  }
  return schemas;
}

// The operations of `document` have names for what has none in the files: a request's body and an answer.
Status add_operations(const Description& description, std::span<const RouteEntry> routes, json& document) {
  std::set<std::string> left;
  for (const auto& [name, text] : description.routes) left.insert(name);
  for (const RouteEntry& entry : routes) {
    const std::string name = std::string(entry.method) + " " + entry.pattern;
    const auto found = description.routes.find(name);
    if (found == description.routes.end()) {
      return fail(ErrorCode::kInvalidArgument, name + " is not described: api/description/*.yaml");
    }
    auto operation = build_operation(description, found->second, entry, document["components"]["schemas"]);
    if (!operation) return std::unexpected(with_context(operation.error(), name));
    document["paths"][openapi_path(entry.pattern)][lower_case(entry.method)] = std::move(*operation);
    left.erase(name);
  }
  if (!left.empty()) return fail(ErrorCode::kInvalidArgument, *left.begin() + " is described, and no route");
  return {};
}

// Every form that something refers to.
void collect_references(const json& value, std::set<std::string>& references) {
  if (value.is_object() && value.contains("$ref")) references.insert(get_string(value, "$ref"));
  if (!value.is_structured()) return;
  for (const json& member : value) collect_references(member, references);
}

Status check_references(const json& document) {
  std::set<std::string> references;
  collect_references(document, references);
  for (const std::string& reference : references) {
    if (document.contains(json::json_pointer(reference.substr(1)))) continue;
    return fail(ErrorCode::kInvalidArgument, "there is no form " + reference);
  }
  return {};
}

}  // namespace

Result<json> openapi_document(const Description& description, std::span<const RouteEntry> routes) {
  auto schemas = schemas_of(description);
  DET_TRY(schemas);
  json tags = json::array();
  for (const TagText& tag : description.tags) tags.push_back({{"name", tag.name}, {"description", tag.about}});
  const json bearer = {{"type", "http"}, {"scheme", "bearer"}};
  json document = {
      {"openapi", "3.0.3"},
      {"info", {{"title", "det-operator"}, {"version", wire::kDeterminedVersion}, {"description", kAbout}}},
      {"servers", json::array({{{"url", "/"}}})},
      {"tags", std::move(tags)},
      {"paths", json::object()},
      {"components",
       {{"schemas", std::move(*schemas)},
        {"responses", shared_responses()},
        {"securitySchemes", {{"BearerToken", bearer}}}}}};
  DET_TRY(add_operations(description, routes, document));
  DET_TRY(check_references(document));
  return document;
}

}  // namespace det::api
