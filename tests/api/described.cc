#include "tests/api/described.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "api/description/openapi.h"
#include "api/description/operation.h"
#include "api/route_table.h"
#include "base/lower_case.h"
#include "wire/request_fields.h"

namespace det::api {

namespace {

using nlohmann::json;

// Requests are read leniently (wire/request_fields.h), answers are written in one way.
enum class Side : std::uint8_t { kRequest, kAnswer };

class Comparison {
 public:
  Comparison(const json& document, Side side) : document_(document), side_(side) {}

  void visit(const json& written, const json& value, const std::string& path) {
    const json schema = resolved(written);
    if (schema.empty()) return;
    if (value.is_null()) {
      if (side_ == Side::kAnswer && !schema.value("nullable", false)) say(path, "is null");
    } else if (schema.contains("oneOf")) {
      visit_choice(schema["oneOf"], value, path);
    } else {
      visit_typed(schema, value, path);
    }
  }

  std::vector<std::string> found;

 private:
  void say(const std::string& path, const std::string& what) { found.push_back(path + " " + what); }

  [[nodiscard]] json resolved(json schema) const {
    const bool is_nullable = schema.value("nullable", false);
    if (schema.contains("allOf")) schema = schema["allOf"][0];
    if (schema.contains("$ref")) {
      schema = document_.at(json::json_pointer(schema["$ref"].get<std::string>().substr(1)));
    }
    if (is_nullable) schema["nullable"] = true;
    return schema;
  }

  void visit_choice(const json& choices, const json& value, const std::string& path) {
    for (const json& choice : choices) {
      Comparison one(document_, side_);
      one.visit(choice, value, path);
      if (one.found.empty()) return;
    }
    say(path, "is none of what it may be: " + value.dump());
  }

  void visit_typed(const json& schema, const json& value, const std::string& path) {
    const std::string type = schema.value("type", "");
    const bool is_text_of_number = side_ == Side::kRequest && value.is_string();
    bool fits = true;
    if (type == "string") {
      // 64-bit numbers are texts in answers, and either in requests.
      fits =
          value.is_string() || (side_ == Side::kRequest && value.is_number() && schema.value("format", "") == "int64");
    } else if (type == "integer") {
      fits = value.is_number_integer() || is_text_of_number || (side_ == Side::kRequest && value.is_number());
    } else if (type == "number") {
      fits = value.is_number() || is_text_of_number;
    } else if (type == "boolean") {
      fits = value.is_boolean();
    } else if (type == "array") {
      fits = value.is_array();
      for (std::size_t i = 0; fits && i < value.size(); ++i) {
        visit(schema["items"], value[i], path + "[" + std::to_string(i) + "]");
      }
    } else if (type == "object") {
      fits = value.is_object();
      if (fits) visit_members(schema, value, path);
    }
    if (!fits) say(path, "is no " + type + ": " + value.dump().substr(0, 200));
    if (!fits || side_ == Side::kRequest || !schema.contains("enum")) return;
    const json& words = schema["enum"];
    if (std::ranges::find(words, value) == words.end()) say(path, "is a word that is not described: " + value.dump());
  }

  void visit_members(const json& schema, const json& value, const std::string& path) {
    const json members = schema.value("properties", json::object());
    const json others = schema.value("additionalProperties", json(false));
    for (const auto& [name, member] : value.items()) {
      const auto known = std::ranges::find_if(members.items(), [&](const auto& one) {
        return one.key() == name || (side_ == Side::kRequest && wire::snake_case(one.key()) == name);
      });
      if (known != members.items().end()) {
        visit((*known).value(), member, path + "." + name);
      } else if (others.is_object()) {
        visit(others, member, path + "." + name);
      } else if (others == false) {
        say(path + "." + name, "is not described");
      }
    }
  }

  const json& document_;
  Side side_;
};

void compare_query(const json& operation, const http::Request& request, std::vector<std::string>& found) {
  std::set<std::string> known;
  for (const json& parameter : operation.value("parameters", json::array())) {
    if (parameter["in"] != "query") continue;
    known.insert(parameter["name"]);
    known.insert(wire::snake_case(parameter["name"].get<std::string>()));
  }
  for (const auto& [name, value] : request.query.fields()) {
    if (!known.contains(name)) found.push_back("the query's " + name + " is not described");
  }
}

void compare_body(const json& document, const json& operation, const http::Request& request,
                  std::vector<std::string>& found) {
  if (request.body.view().empty()) return;
  const json body = json::parse(request.body.view(), nullptr, false);
  if (body.is_discarded()) return;
  if (!operation.contains("requestBody")) {
    if (!body.empty()) found.push_back("the body is not described: " + body.dump().substr(0, 200));
    return;
  }
  Comparison comparison(document, Side::kRequest);
  comparison.visit(operation["requestBody"]["content"]["application/json"]["schema"], body, "the body");
  found.insert(found.end(), comparison.found.begin(), comparison.found.end());
}

void compare_json(const json& document, const json& schema, const DescribedAnswer& answer,
                  std::vector<std::string>& found) {
  const json properties = schema.value("properties", json::object());
  const bool is_stream = properties.contains("result") && properties.contains("error");
  Comparison comparison(document, Side::kAnswer);
  std::istringstream lines(answer.text);
  std::string line = answer.text;
  for (bool goes_on = !is_stream || static_cast<bool>(std::getline(lines, line)); goes_on;
       goes_on = is_stream && static_cast<bool>(std::getline(lines, line))) {
    const json value = json::parse(line, nullptr, false);
    if (value.is_discarded()) {
      if (!answer.is_cut) found.push_back("the answer is no JSON: " + line.substr(0, 200));
      break;
    }
    comparison.visit(schema, value, "the answer");
  }
  found.insert(found.end(), comparison.found.begin(), comparison.found.end());
}

void compare_answer(const json& document, const json& operation, const DescribedAnswer& answer,
                    std::vector<std::string>& found) {
  const json& responses = operation["responses"];
  const std::string status = std::to_string(answer.status);
  // A wrong argument, and what is the server's fault, every route may answer; whatever else is told of each.
  const bool is_told = answer.status == 400 || answer.status == 500 || answer.status == 503;
  if (!is_told && !responses.contains(status)) {
    found.push_back("the status " + status + " is not described");
    return;
  }
  json response = responses.contains(status) ? responses[status] : responses["default"];
  if (response.contains("$ref"))
    response = document.at(json::json_pointer(response["$ref"].get<std::string>().substr(1)));
  if (!response.contains("content")) return;
  for (const auto& [type, content] : response["content"].items()) {
    if (!answer.type.starts_with(type)) continue;
    const json& schema = content["schema"];
    if (schema.value("format", "") != "binary") compare_json(document, schema, answer, found);
    return;
  }
  found.push_back("the answer's type is not described: " + answer.type);
}

// Looks at what the tests left out, where all have run.
class Everything final : public testing::Environment {
 public:
  void TearDown() override {
    const bool are_all = GTEST_FLAG_GET(filter) == "*" && std::getenv("GTEST_TOTAL_SHARDS") == nullptr;
    if (!are_all) return;
    for (const auto& [path, methods] : described_api().document()["paths"].items()) {
      for (const auto& [method, operation] : methods.items()) {
        const std::string name = operation["operationId"];
        if (!operation["responses"].contains("200") || served().contains(name)) continue;
        ADD_FAILURE() << method << " " << path
                      << " was not served in any test: nothing shows that its description is true";
      }
    }
  }

 private:
  static std::set<std::string> served() {
    std::set<std::string> names;
    for (const std::string& route : compared_routes()) {
      const auto space = route.find(' ');
      const json& methods = described_api().document()["paths"][openapi_path(route.substr(space + 1))];
      names.insert(methods[lower_case(route.substr(0, space))]["operationId"].get<std::string>());
    }
    return names;
  }
};

[[maybe_unused]] const auto* const kEverything = testing::AddGlobalTestEnvironment(new Everything());

}  // namespace

DescribedApi::DescribedApi() {
  const auto description = read_description(description_files());
  if (!description) throw std::runtime_error(description.error().message);
  auto document = openapi_document(*description, route_entries());
  if (!document) throw std::runtime_error(document.error().message);
  document_ = std::move(*document);
}

std::vector<std::string> DescribedApi::differences(const std::string& route, const http::Request& request,
                                                   const DescribedAnswer& answer) const {
  std::vector<std::string> found;
  if (answer.status < 400) compared_routes().insert(route);
  const auto space = route.find(' ');
  const json::json_pointer paths("/paths");
  const std::string path = openapi_path(route.substr(space + 1));
  const std::string method = lower_case(route.substr(0, space));
  if (!document_[paths].contains(path) || !document_[paths][path].contains(method)) return {"there is no such route"};
  const json& operation = document_[paths][path][method];
  if (answer.status < 400) {
    compare_query(operation, request, found);
    compare_body(document_, operation, request, found);
  }
  compare_answer(document_, operation, answer, found);
  return found;
}

std::set<std::string>& compared_routes() {
  static std::set<std::string> compared;
  return compared;
}

const DescribedApi& described_api() {
  static const DescribedApi kDescribed;
  return kDescribed;
}

}  // namespace det::api
