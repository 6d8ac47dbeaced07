#include "api/description/notation.h"

#include <optional>
#include <string_view>
#include <utility>

namespace det::api {

namespace {

using nlohmann::json;

std::unexpected<Error> wrong(std::string_view written, const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, "'" + std::string(written) + "': " + why);
}

// Cuts `text` at the first `mark` and returns what was behind it.
std::optional<std::string_view> cut_behind(std::string_view& text, std::string_view mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view behind = text.substr(at + mark.size());
  text = text.substr(0, at);
  return behind;
}

bool cut_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool cut_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// "0..10", "0.." and "..10" at the end.
std::optional<std::string_view> cut_bounds(std::string_view& text) {
  const auto space = text.rfind(' ');
  if (space == std::string_view::npos || text.find("..", space) == std::string_view::npos) return std::nullopt;
  const std::string_view bounds = text.substr(space + 1);
  text = text.substr(0, space);
  return bounds;
}

std::optional<json> plain_schema(std::string_view type) {
  if (type == "string" || type == "integer" || type == "number" || type == "boolean") return json{{"type", type}};
  if (type == "object") return json{{"type", "object"}, {"additionalProperties", true}};
  if (type == "any") return json::object();
  // int64 travels as text, and numbers that JSON has not as their names (wire/forms.h).
  if (type == "int64") return json{{"type", "string"}, {"format", "int64"}};
  if (type == "metric") return json{{"$ref", form_reference("MetricValue")}};
  if (type == "time") return json{{"type", "string"}, {"format", "date-time"}};
  if (type == "uuid") return json{{"type", "string"}, {"format", "uuid"}};
  if (type == "base64") return json{{"type", "string"}, {"format", "byte"}};
  return std::nullopt;
}

Result<json> schema_of(std::string_view type) {
  if (cut_suffix(type, " or null")) {
    auto schema = schema_of(type);
    DET_TRY(schema);
    // What stands beside a reference does not count in OpenAPI 3.0.
    if (schema->contains("$ref")) schema = json{{"allOf", json::array({*schema})}};
    (*schema)["nullable"] = true;
    return schema;
  }
  if (cut_prefix(type, "list of ")) {
    auto items = schema_of(type);
    DET_TRY(items);
    return json{{"type", "array"}, {"items", std::move(*items)}};
  }
  if (cut_prefix(type, "map of ")) {
    auto values = schema_of(type);
    DET_TRY(values);
    return json{{"type", "object"}, {"additionalProperties", std::move(*values)}};
  }
  if (auto plain = plain_schema(type)) return *plain;
  const bool is_name = !type.empty() && type[0] >= 'A' && type[0] <= 'Z' && type.find(' ') == std::string_view::npos;
  if (is_name) return json{{"$ref", form_reference(std::string(type))}};
  return wrong(type, "no type of the description");
}

Status add_bounds(std::string_view bounds, json& schema) {
  const std::string_view high = cut_behind(bounds, "..").value_or("");
  for (const auto& [name, text] : {std::pair("minimum", bounds), std::pair("maximum", high)}) {
    if (text.empty()) continue;
    const json value = json::parse(text, nullptr, false);
    if (!value.is_number()) return wrong(text, "no bound");
    schema[name] = value;
  }
  return {};
}

Status add_default(std::string_view text, json& schema) {
  const bool is_text = schema.contains("$ref") || schema.value("type", "") == "string";
  const json value = is_text ? json(text) : json::parse(text, nullptr, false);
  if (value.is_discarded()) return wrong(text, "no default of this type");
  if (schema.contains("$ref")) schema = json{{"allOf", json::array({schema})}};
  schema["default"] = value;
  return {};
}

Result<ValueForm> read_text(std::string_view written) {
  ValueForm form;
  std::string_view rest = written;
  form.text = cut_behind(rest, " | ").value_or("");
  const auto standard = cut_behind(rest, " = ");
  form.is_required = cut_prefix(rest, "required ");
  const auto bounds = cut_bounds(rest);
  const auto unit = cut_behind(rest, " in ");
  auto schema = schema_of(rest);
  DET_TRY(schema);
  form.schema = std::move(*schema);
  if (unit) {
    // A $ref takes no neighbours: the unit of a metric is in its text alone.
    if (!form.schema.contains("$ref")) form.schema["x-unit"] = *unit;
    form.text = "In " + std::string(*unit) + "." + (form.text.empty() ? "" : " " + form.text);
  }
  if (bounds) DET_TRY(add_bounds(*bounds, form.schema));
  if (standard) DET_TRY(add_default(*standard, form.schema));
  return form;
}

// With its text where OpenAPI wants it.
json described(ValueForm form) {
  if (form.text.empty()) return std::move(form.schema);
  if (form.schema.contains("$ref")) form.schema = json{{"allOf", json::array({form.schema})}};
  form.schema["description"] = std::move(form.text);
  return std::move(form.schema);
}

Result<ValueForm> read_choice(const json& choices) {
  ValueForm form{.schema = {{"oneOf", json::array()}}};
  for (const json& one : choices) {
    auto choice = read_value_form(one);
    DET_TRY(choice);
    form.schema["oneOf"].push_back(described(std::move(*choice)));
  }
  return form;
}

Result<ValueForm> read_object(const json& members) {
  ValueForm form{.schema = {{"type", "object"}, {"properties", json::object()}}};
  for (const auto& [name, written] : members.items()) {
    auto member = read_value_form(written);
    if (!member) return std::unexpected(with_context(member.error(), name));
    if (member->is_required) form.schema["required"].push_back(name);
    form.schema["properties"][name] = described(std::move(*member));
  }
  return form;
}

}  // namespace

std::string form_reference(const std::string& name) {
  return "#/components/schemas/v1" + name;
}

Result<ValueForm> read_value_form(const json& written) {
  if (written.is_string()) return read_text(written.get_ref<const std::string&>());
  if (written.is_object() && written.size() == 1 && written.contains("one of")) return read_choice(written["one of"]);
  if (written.is_object()) return read_object(written);
  // A list of words is all the words that there are.
  if (written.is_array() && !written.empty()) return ValueForm{.schema = {{"type", "string"}, {"enum", written}}};
  return fail(ErrorCode::kInvalidArgument, "neither a text, nor members, nor words: " + written.dump());
}

}  // namespace det::api
