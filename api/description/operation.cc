#include "api/description/operation.h"

#include <string_view>
#include <utility>
#include <vector>

#include "api/description/notation.h"
#include "base/json_get.h"
#include "base/split_text.h"

namespace det::api {

namespace {

using nlohmann::json;

std::unexpected<Error> wrong(const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, what);
}

// What clients that were generated call it. Upstream's RPCs keep their names.
struct OperationName {
  std::string id;
  std::string stem;  // of the forms that belong to it
};

Result<OperationName> name_of(const json& written) {
  if (const std::string rpc = get_string(written, "rpc"); !rpc.empty()) {
    return OperationName{.id = "Determined_" + rpc, .stem = rpc};
  }
  if (const std::string own = get_string(written, "own"); !own.empty()) {
    return OperationName{.id = "DetOperator_" + own, .stem = own};
  }
  if (const std::string id = get_string(written, "id"); !id.empty()) return OperationName{.id = id, .stem = id};
  return wrong("neither rpc, nor own, nor id");
}

std::string who_may(Who who) {
  switch (who) {
    case Who::kAnyone:
      return "Needs no token.";
    case Who::kAnyToken:
      return "Any token; that of a run (DET_SESSION_TOKEN) only for what is its own.";
    case Who::kPeople:
      return "Logins, access tokens, and tasks with DET_USER_TOKEN.";
    case Who::kOwner:
      return "The owner and admins, also by DET_USER_TOKEN.";
    case Who::kItsTask:
      return "The tokens of the run that it belongs to, its owner and admins.";
    case Who::kOwnerLogin:
      return "Logins of the owner and of admins: no token of a task.";
    case Who::kAdminLogin:
      return "Logins of admins: no token of a task.";
  }
  return {};
}

std::string who_text(const json& written, const RoutePolicy& policy) {
  std::string text = get_string(written, "who");
  if (text.empty()) text = who_may(policy.who);
  if (!policy.needs.is_exempt) {
    text += " Where roles rule: the permission to " + std::string(model::info_of(policy.needs.permission).name) + ".";
  }
  return text;
}

json parameter(std::string name, const char* place, ValueForm form) {
  json out = {{"name", std::move(name)}, {"in", place}, {"schema", std::move(form.schema)}};
  if (form.is_required) out["required"] = true;
  if (!form.text.empty()) out["description"] = std::move(form.text);
  return out;
}

Status add_path_parameters(const Description& description, const std::string& pattern, json& parameters) {
  const std::vector<std::string_view> segments = split_text(pattern, '/');
  for (std::size_t i = 1; i < segments.size(); ++i) {
    if (!segments[i].starts_with('{')) continue;
    const std::string place = std::string(segments[i - 1]) + "/" + std::string(segments[i]);
    const auto written = description.path_places.find(place);
    if (written == description.path_places.end()) return wrong("nothing says what " + place + " is: common.yaml");
    auto form = read_value_form(written->second);
    DET_TRY(form);
    form->is_required = true;
    const std::string_view name = segments[i].substr(1, segments[i].find_first_of(".}") - 1);
    parameters.push_back(parameter(std::string(name), "path", *form));
  }
  return {};
}

Status add_query_parameters(const Description& description, const json& written, json& parameters) {
  json all = get_object(written, "query");
  for (const json& group : get_array(written, "with")) {
    const auto found = description.parameters.find(group.get<std::string>());
    if (found == description.parameters.end()) return wrong("there are no parameters " + group.dump());
    for (const auto& [name, one] : found->second.items()) {
      if (!all.emplace(name, one).second) return wrong(name + " is described twice");
    }
  }
  for (const auto& [name, one] : all.items()) {
    auto form = read_value_form(one);
    if (!form) return std::unexpected(with_context(form.error(), name));
    parameters.push_back(parameter(name, "query", std::move(*form)));
  }
  return {};
}

Status add_header_parameters(const json& written, json& parameters) {
  for (const auto& [name, one] : get_object(written, "headers").items()) {
    auto form = read_value_form(one);
    if (!form) return std::unexpected(with_context(form.error(), name));
    parameters.push_back(parameter(name, "header", std::move(*form)));
  }
  return {};
}

// The schema of a body or answer. What is an object without a name gets `name`.
Result<json> content_schema(const json& written, const std::string& name, json& schemas) {
  auto form = read_value_form(written);
  DET_TRY(form);
  if (!written.is_object() || written.empty()) return std::move(form->schema);
  if (schemas.contains("v1" + name)) return wrong("the form " + name + " is there already");
  schemas["v1" + name] = std::move(form->schema);
  return json{{"$ref", form_reference(name)}};
}

json binary_content() {
  return {{"schema", {{"type", "string"}, {"format", "binary"}}}};
}

json json_content(json schema) {
  return {{"application/json", {{"schema", std::move(schema)}}}};
}

Result<json> success_of(const json& written, const OperationName& name, json& schemas) {
  if (written.contains("file")) {
    json content = json::object();
    const json types = written["file"].is_array() ? written["file"] : json::array({written["file"]});
    for (const json& type : types) {
      // A generated client reads a JSON file as JSON; it may hold anything.
      content[type.get<std::string>()] =
          type == "application/json" ? json{{"schema", json::object()}} : binary_content();
    }
    return json{{"description", "A file."}, {"content", std::move(content)}};
  }
  if (written.contains("stream")) {
    auto message = content_schema(written["stream"], name.stem + "Response", schemas);
    DET_TRY(message);
    // As upstream's: lines, each an object with a message, or the last one with an error.
    const json line = {{"type", "object"},
                       {"properties", {{"result", *message}, {"error", {{"$ref", form_reference("StreamError")}}}}}};
    return json{{"description", "A stream of lines, each with one message."}, {"content", json_content(line)}};
  }
  if (!written.contains("answer")) return wrong("neither answer, nor stream, nor file");
  auto schema = content_schema(written["answer"], name.stem + "Response", schemas);
  DET_TRY(schema);
  return json{{"description", "Done."}, {"content", json_content(std::move(*schema))}};
}

// Those that follow from the table, and those that the files add.
void add_errors(const json& written, const RouteEntry& entry, json& responses) {
  const bool is_api = std::string_view(entry.pattern).starts_with("/api/v1/");
  const json shared = {{"$ref", std::string("#/components/responses/") + (is_api ? "ApiError" : "PlainError")}};
  json content = json_content({{"$ref", form_reference(is_api ? "Error" : "PlainError")}});
  // A page for people says what is wrong as a page, too.
  if (get_any(written, "file") == "text/html") content["text/html"] = binary_content();
  const auto add = [&](const std::string& status, const std::string& text) {
    responses[status] = {{"description", text}};
    if (status >= "400") responses[status]["content"] = content;
  };
  if (entry.policy.who != Who::kAnyone) {
    add("401", "The token is missing, or no longer good.");
    add("403", "Somebody else may.");
  }
  if (std::string_view(entry.pattern).contains('{')) add("404", "What the path names is not there, or not to be seen.");
  if (written.contains("body")) {
    add("413", "The body is longer than " + std::to_string(static_cast<std::size_t>(entry.policy.limit)) + " bytes.");
  }
  for (const auto& [status, text] : get_object(written, "errors").items()) add(status, text.get<std::string>());
  if (const std::string refused = get_string(written, "refused"); !refused.empty()) add("501", refused);
  responses["default"] = shared;
}

}  // namespace

std::string openapi_path(std::string pattern) {
  if (const auto dots = pattern.find("..."); dots != std::string::npos) pattern.erase(dots, 3);
  return pattern;
}

Result<json> build_operation(const Description& description, const RouteText& text, const RouteEntry& entry,
                             json& schemas) {
  const json& written = text.written;
  const auto name = name_of(written);
  DET_TRY(name);
  json parameters = json::array();
  DET_TRY(add_path_parameters(description, entry.pattern, parameters));
  DET_TRY(add_query_parameters(description, written, parameters));
  DET_TRY(add_header_parameters(written, parameters));
  json responses = json::object();
  if (const std::string websocket = get_string(written, "websocket"); !websocket.empty()) {
    responses["101"] = {{"description", websocket}};
  } else if (!written.contains("refused")) {
    auto success = success_of(written, *name, schemas);
    DET_TRY(success);
    responses["200"] = std::move(*success);
  }
  add_errors(written, entry, responses);
  json operation = {{"tags", json::array({text.tag})},
                    {"operationId", name->id},
                    {"summary", get_string(written, "summary")},
                    {"description", who_text(written, entry.policy)},
                    {"responses", std::move(responses)}};
  if (!parameters.empty()) operation["parameters"] = std::move(parameters);
  if (entry.policy.who != Who::kAnyone) operation["security"] = json::array({{{"BearerToken", json::array()}}});
  if (written.contains("body")) {
    auto body = content_schema(written["body"], name->stem + "Request", schemas);
    DET_TRY(body);
    operation["requestBody"] = {{"required", true}, {"content", json_content(std::move(*body))}};
  }
  return operation;
}

}  // namespace det::api
