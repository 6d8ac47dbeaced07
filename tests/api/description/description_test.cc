// The description of the API: whole, true to the table of routes, and served.
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/description/notation.h"
#include "api/description/openapi.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

json schema(const std::string& written) {
  const auto form = read_value_form(written);
  return form ? form->schema : json(form.error().message);
}

TEST(Notation, SaysTypesBoundsDefaultsAndTexts) {
  EXPECT_EQ(schema("list of integer"), json::parse(R"({"type":"array","items":{"type":"integer"}})"));
  EXPECT_EQ(schema("integer 0..10 = 3"), json::parse(R"({"type":"integer","minimum":0,"maximum":10,"default":3})"));
  EXPECT_EQ(schema("integer -2.."), json::parse(R"({"type":"integer","minimum":-2})"));
  EXPECT_EQ(schema("map of list of Trial"), json::parse(R"({"type":"object","additionalProperties":
                            {"type":"array","items":{"$ref":"#/components/schemas/v1Trial"}}})"));
  EXPECT_EQ(schema("Trial or null"),
            json::parse(R"({"allOf":[{"$ref":"#/components/schemas/v1Trial"}],"nullable":true})"));
  EXPECT_EQ(schema("Order = ORDER_BY_ASC"),
            json::parse(R"({"allOf":[{"$ref":"#/components/schemas/v1Order"}],"default":"ORDER_BY_ASC"})"));
  const auto form = read_value_form("required integer in seconds 0..600 = 0 | How long to wait | or not.");
  ASSERT_TRUE(form);
  EXPECT_TRUE(form->is_required);
  EXPECT_EQ(form->text, "In seconds. How long to wait | or not.");
  EXPECT_EQ(form->schema["x-unit"], "seconds");
}

TEST(Notation, RefusesWhatItDoesNotKnow) {
  for (const char* wrong :
       {"", "text", "list of", "list of text", "integer 1..x", "integer = three", "integer or nothing"}) {
    EXPECT_FALSE(read_value_form(wrong)) << wrong;
  }
  EXPECT_FALSE(read_value_form(json(3)));
  EXPECT_FALSE(read_value_form(json::array()));
  EXPECT_FALSE(read_value_form(json{{"member", "text"}}));
}

struct Files : testing::Test {
  // The description with one more file.
  static Result<json> with(std::string_view file) {
    DescriptionFiles files = description_files();
    files.emplace_back("more.yaml", file);
    const auto description = read_description(files);
    DET_TRY(description);
    return openapi_document(*description, route_entries());
  }
  static std::string trouble(std::string_view file) {
    const auto document = with(file);
    return document ? "" : document.error().message;
  }
};

TEST_F(Files, AreRefusedWhereTheyDoNotAgreeWithTheTable) {
  EXPECT_EQ(trouble("tag: More\nabout: x\n"), "");
  EXPECT_THAT(trouble("routes:\n  GET /api/v1/nothing: {own: Nothing, answer: {}}\n"),
              HasSubstr("GET /api/v1/nothing is described, and no route"));
  EXPECT_THAT(trouble("routes:\n  GET /info: {own: Info, answer: {}}\n"), HasSubstr("GET /info is described twice"));
  EXPECT_THAT(trouble("forms:\n  Trial: {id: integer}\n"), HasSubstr("Trial is described twice"));
  EXPECT_THAT(trouble("forms:\n  More: {id: Nothing}\n"), HasSubstr("no form #/components/schemas/v1Nothing"));
  EXPECT_THAT(trouble("forms: [\n"), HasSubstr("more.yaml"));
  DescriptionFiles files = description_files();
  std::erase_if(files, [](const auto& file) { return file.first == "usage.yaml"; });
  const auto document = openapi_document(read_description(files).value(), route_entries());
  ASSERT_FALSE(document);
  EXPECT_THAT(document.error().message, HasSubstr("/resources/allocation/raw is not described"));
}

struct Operation {
  std::string name;
  std::string path;
  json written;
};

std::vector<Operation> operations() {
  std::vector<Operation> all;
  for (const auto& [path, methods] : described_api().document()["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      all.push_back({.name = method + " " + path, .path = path, .written = operation});
    }
  }
  return all;
}

TEST(OpenApi, HasEveryRouteOnceWithATagASummaryAndAName) {
  std::set<std::string> tags;
  for (const json& tag : described_api().document()["tags"]) {
    EXPECT_TRUE(tags.insert(tag["name"]).second) << tag;
    EXPECT_FALSE(tag["description"].get<std::string>().empty()) << tag;
  }
  std::map<std::string, std::string> names;
  for (const Operation& one : operations()) {
    EXPECT_TRUE(tags.contains(one.written["tags"][0])) << one.name;
    EXPECT_THAT(one.written["summary"].get<std::string>(), ContainsRegex("^[A-Z].*\\.$")) << one.name;
    std::string name = one.written["operationId"];
    EXPECT_THAT(name, ContainsRegex("^(Determined_|DetOperator_|health$)")) << one.name;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    EXPECT_EQ(names.emplace(name, one.name).first->second, one.name);
  }
  EXPECT_EQ(names.size(), route_entries().size());
}

// What generated clients are made of.
TEST(OpenApi, DeclaresTheNamesOfEveryPathAndNoOthers) {
  for (const Operation& one : operations()) {
    std::set<std::string> declared;
    std::set<std::string> seen;
    for (const json& parameter : one.written.value("parameters", json::array())) {
      EXPECT_TRUE(seen.insert(parameter["in"].get<std::string>() + parameter["name"].get<std::string>()).second)
          << one.name;
      if (parameter["in"] != "path") continue;
      EXPECT_TRUE(parameter["required"].get<bool>());
      declared.insert(parameter["name"]);
    }
    std::set<std::string> in_path;
    for (auto at = one.path.find('{'); at != std::string::npos; at = one.path.find('{', at + 1)) {
      in_path.insert(one.path.substr(at + 1, one.path.find('}', at) - at - 1));
    }
    EXPECT_EQ(declared, in_path) << one.name;
  }
}

// Generators of clients name an object that has no form of its own after the form and the field that it stands in:
// where a form has that name, they leave out all that refers to either.
TEST(OpenApi, HasNoFormThatIsNamedLikeAFieldOfAnother) {
  const json& forms = described_api().document()["components"]["schemas"];
  for (const auto& [name, form] : forms.items()) {
    if (!form.contains("properties")) continue;
    for (const auto& [field, value] : form["properties"].items()) {
      if (value.value("type", "") != "object") continue;
      std::string taken = field;
      taken[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(taken[0])));
      EXPECT_FALSE(forms.contains(name + taken)) << name << "." << field;
    }
  }
}

TEST(OpenApi, TellsWhoMayAndHowMuchIsTaken) {
  const json& paths = described_api().document()["paths"];
  EXPECT_FALSE(paths["/api/v1/auth/login"]["post"].contains("security"));
  EXPECT_TRUE(paths["/api/v1/me"]["get"].contains("security"));
  EXPECT_THAT(paths["/api/v1/users"]["post"]["description"].get<std::string>(), HasSubstr("Logins of admins"));
  EXPECT_THAT(paths["/api/v1/workspaces"]["post"]["description"].get<std::string>(), HasSubstr("Where roles rule"));
  EXPECT_THAT(paths["/api/v1/auth/login"]["post"]["responses"]["413"]["description"].get<std::string>(),
              HasSubstr("65536"));
}

// An answer that is an object of anything proves nothing. Where one must be, it is counted here.
TEST(OpenApi, HasNoAnswerThatIsOpen) {
  std::set<std::string> open;
  for (const Operation& one : operations()) {
    const json responses = one.written["responses"];
    if (!responses.contains("200") || !responses["200"]["content"].contains("application/json")) continue;
    const json& answer = responses["200"]["content"]["application/json"]["schema"];
    if (responses["200"]["description"] == "A file.") continue;
    if (answer.empty() || answer.value("additionalProperties", json()) == true) open.insert(one.name);
  }
  EXPECT_EQ(open, (std::set<std::string>{"get /config"})) << "master.yaml as it was written, without its secrets";
}

// The other way round: the comparison notices what it is there for.
struct Compared : testing::Test {
  static std::vector<std::string> differences(const std::string& route, const std::string& query,
                                              const std::string& body, const std::string& answer, int status = 200) {
    http::Request request;
    if (!query.empty()) request.query.add(query, "1");
    request.body = http::Body(body);
    return described_api().differences(route, request, {.status = status, .text = answer, .type = "application/json"});
  }
};

TEST_F(Compared, NoticesWhatIsNotDescribed) {
  const std::string list = "GET /api/v1/experiments/{id}/trials";
  EXPECT_TRUE(differences(list, "limit", "", R"({"trials":[]})").empty());
  EXPECT_TRUE(differences(list, "sort_by", "", R"({"trials":[]})").empty()) << "in snake_case, too";
  EXPECT_EQ(differences(list, "sortby", "", R"({"trials":[]})").size(), 1U);
  EXPECT_EQ(differences(list, "", "", R"({"trials":[{"id":"1"}]})").size(), 1U) << "a text in place of a number";
  EXPECT_EQ(differences(list, "", "", R"({"trials":[{"id":null}]})").size(), 1U);
  EXPECT_TRUE(differences(list, "", "", R"({"trials":[{"endTime":null}]})").empty());
  EXPECT_EQ(differences(list, "", "", R"({"trials":[{"other":1}]})").size(), 1U);
  EXPECT_EQ(differences(list, "", "", R"({"trials":[{"state":"RUNNING"}]})").size(), 1U);
  EXPECT_EQ(differences(list, "", "", "[]").size(), 1U);
  EXPECT_EQ(differences(list, "", "", "{").size(), 1U);
  EXPECT_EQ(differences(list, "", R"({"a":1})", "{}").size(), 1U) << "a body where there is none";
  EXPECT_EQ(differences(list, "", "", R"({"message":"x"})", 404).size(), 1U) << "an error of the other form";
  EXPECT_EQ(differences(list, "", "", "{}", 202).size(), 1U);
  const std::string patch = "PATCH /api/v1/experiments/{id}";
  EXPECT_TRUE(differences(patch, "", R"({"resources":{"max_slots":"3","weight":null}})", "{}").empty());
  EXPECT_EQ(differences(patch, "", R"({"resources":{"slots":3}})", "{}").size(), 1U);
  const std::string stream = "GET /api/v1/trials/metrics/trial_metrics";
  EXPECT_TRUE(differences(stream, "", "", "{\"result\":{\"metrics\":[]}}\n{\"result\":{\"metrics\":[]}}\n").empty());
  EXPECT_EQ(differences(stream, "", "", "{\"result\":{\"metrics\":[]}}\n{\"metrics\":[]}\n").size(), 1U);
}

struct Served : ApiTest {};

TEST_F(Served, ToEverybodyOnceForAllUntilItChanges) {
  token.clear();
  const Answer first = get("/api/v1/openapi.json");
  ASSERT_EQ(first.status, 200) << first.text;
  EXPECT_EQ(first.body(), described_api().document());
  const std::string etag(first.headers.find("ETag").value_or(""));
  EXPECT_THAT(etag, ContainsRegex("^\"[0-9a-f]+\"$"));
  headers.add("If-None-Match", etag);
  const Answer again = get("/api/v1/openapi.json");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.text, "");
  EXPECT_EQ(again.headers.find("ETag"), etag);
}

TEST_F(Served, AsAPageThatLoadsAndTellsNothingElsewhere) {
  token.clear();
  for (const char* path : {"/docs", "/docs/docs.js", "/docs/docs.css"}) {
    const Answer answer = get(path);
    EXPECT_EQ(answer.status, 200);
    EXPECT_FALSE(answer.text.empty());
    const std::string policy(answer.headers.find("Content-Security-Policy").value_or(""));
    EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
    EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_EQ(answer.headers.find("X-Content-Type-Options"), "nosniff");
    EXPECT_THAT(answer.text, Not(HasSubstr("//cdn")));
    EXPECT_THAT(answer.text, Not(HasSubstr("https://")));
  }
  const std::string page = get("/docs").text;
  EXPECT_THAT(page, Not(ContainsRegex("<script>|<style|style=|onclick=")));
  const std::string script = get("/docs/docs.js").text;
  EXPECT_THAT(script,
              Not(ContainsRegex("innerHTML|outerHTML|insertAdjacentHTML|document\\.write|eval\\(|localStorage")));
  EXPECT_THAT(script, HasSubstr("credentials: \"omit\""));
}

}  // namespace
}  // namespace det::api
