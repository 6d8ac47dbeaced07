#include "local/kubeapi/schema.h"

#include <gtest/gtest.h>

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

Schema compiled(const char* source) {
  std::vector<FieldError> errors;
  Schema schema = compile_schema(json::parse(source), "s", errors);
  EXPECT_TRUE(errors.empty()) << errors.front().path << ": " << errors.front().message;
  return schema;
}

// "path: message" of each error.
std::vector<std::string> check(const Schema& schema, const char* value) {
  std::vector<FieldError> errors;
  validate(schema, json::parse(value), "", errors);
  std::vector<std::string> texts;
  for (const auto& error : errors) texts.push_back(error.path + ": " + error.message);
  return texts;
}

std::string first(const Schema& schema, const char* value) {
  const auto all = check(schema, value);
  return all.empty() ? "" : all.front();
}

const char* const kSpec = R"({"type":"object","properties":{"spec":{"type":"object","required":["name"],"properties":{
  "name":{"type":"string","minLength":2,"maxLength":4,"pattern":"^[a-z]+$"},
  "size":{"type":"integer","minimum":1,"maximum":10},
  "ratio":{"type":"number","minimum":0,"exclusiveMinimum":true},
  "mode":{"type":"string","enum":["On","Off"]},
  "list":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object","properties":{"x":{"type":"boolean"}}}},
  "map":{"type":"object","maxProperties":1,"additionalProperties":{"type":"string"}},
  "port":{"x-kubernetes-int-or-string":true},
  "when":{"type":"string","format":"date-time"},
  "maybe":{"type":"string","nullable":true},
  "open":{"x-kubernetes-preserve-unknown-fields":true},
  "level":{"type":"integer","default":3},
  "nested":{"type":"object","default":{},"properties":{"a":{"type":"string","default":"b"}}}}}}})";

TEST(Schema, SaysWhatTheRealServerSays) {
  const Schema schema = compiled(kSpec);
  EXPECT_EQ(first(schema, R"({"spec":"x"})"),
            R"(spec: Invalid value: "string": spec in body must be of type object: "string")");
  EXPECT_EQ(first(schema, R"({"spec":{}})"), "spec.name: Required value");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"a"}})"),
            R"(spec.name: Invalid value: "a": spec.name in body should be at least 2 chars long)");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"abcde"}})"), "spec.name: Too long: may not be more than 4 bytes");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"AB"}})"),
            R"(spec.name: Invalid value: "AB": spec.name in body should match '^[a-z]+$')");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"ab","size":0}})"),
            "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"ab","size":11}})"),
            "spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"ab","ratio":0}})"),
            "spec.ratio: Invalid value: 0: spec.ratio in body should be greater than 0");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"ab","mode":"Maybe"}})"),
            R"(spec.mode: Unsupported value: "Maybe": supported values: "On", "Off")");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"ab","list":[]}})"),
            "spec.list: Invalid value: 0: spec.list in body should have at least 1 items");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"ab","list":[{},{},{}]}})"),
            "spec.list: Too many: 3: must have at most 2 items");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"ab","list":[{"x":1}]}})"),
            R"(spec.list[0].x: Invalid value: "integer": spec.list[0].x in body must be of type boolean: "integer")");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"ab","map":{"a":1}}})"),
            R"(spec.map.a: Invalid value: "integer": spec.map.a in body must be of type string: "integer")");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"ab","map":{"a":"","b":""}}})"),
            "spec.map: Too many: 2: must have at most 1 items");
  EXPECT_EQ(first(schema, R"({"spec":{"name":"ab","when":"today"}})"),
            R"(spec.when: Invalid value: "today": spec.when in body must be of type date-time: "today")");
  EXPECT_EQ(first(schema, R"({"spec":{"name":null}})"),
            R"(spec.name: Invalid value: "null": spec.name in body must be of type string: "null")");
}

TEST(Schema, TakesWhatFits) {
  const Schema schema = compiled(kSpec);
  EXPECT_EQ(check(schema, R"({"spec":{"name":"abc","size":3.0,"port":80,"maybe":null,"open":[1,{"a":null}]}})"),
            std::vector<std::string>());
  EXPECT_EQ(check(schema, R"({"spec":{"name":"abc","port":"http","when":"2026-11-21T00:00:00Z"}})"),
            std::vector<std::string>());
}

TEST(Schema, NamesEveryMistakeAtOnce) {
  EXPECT_EQ(check(compiled(kSpec), R"({"spec":{"size":0,"mode":"x"}})").size(), 3U);
}

TEST(Schema, PrunesWhatItDoesNotKnow) {
  const Schema schema = compiled(kSpec);
  json value =
      json::parse(R"({"spec":{"name":"ab","typo":1,"list":[{"x":true,"y":2}],"open":{"any":1},"level":null}})");
  EXPECT_EQ(prune(schema, value), (std::vector<std::string>{"spec.list[0].y", "spec.typo"}));
  EXPECT_EQ(value.dump(), R"({"spec":{"list":[{"x":true}],"name":"ab","open":{"any":1}}})");
}

TEST(Schema, FillsDefaultsAlsoInsideDefaults) {
  json value = json::parse(R"({"spec":{"name":"ab"}})");
  fill_defaults(compiled(kSpec), value);
  EXPECT_EQ(value["spec"]["level"], 3);
  EXPECT_EQ(value["spec"]["nested"]["a"], "b");
}

TEST(Schema, RefusesToCompileWhatIsNotStructural) {
  std::vector<FieldError> errors;
  (void)compile_schema(json::parse(R"({"type":"object","properties":{"a":{"type":"text"},"b":{},
    "c":{"type":"string","pattern":"("},"d":{"type":"array"}}})"),
                       "s", errors);
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(errors[0].path, "s.properties[a].type");
  EXPECT_EQ(errors[1].path, "s.properties[b].type");
  EXPECT_EQ(errors[2].path, "s.properties[c].pattern");
  EXPECT_EQ(errors[3].path, "s.properties[d].items");
}

TEST(Schema, ALongValueDoesNotExhaustTheStackOfItsPattern) {
  const Schema schema = compiled(R"({"type":"object","properties":{
    "simple":{"type":"string","pattern":"^[a-z]*$"},"hard":{"type":"string","pattern":"^(a|b|ab)*c$"}}})");
  std::vector<FieldError> errors;
  validate(schema, {{"simple", std::string(200'000, 'a')}}, "", errors);
  EXPECT_TRUE(errors.empty());
  validate(schema, {{"hard", std::string(200'000, 'a')}}, "", errors);
  EXPECT_EQ(errors.size(), 1U) << "given up";
}

}  // namespace
}  // namespace det::local::kubeapi
