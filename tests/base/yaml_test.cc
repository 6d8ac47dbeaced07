#include "base/yaml.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/yaml_scalar.h"

namespace det {
namespace {

using nlohmann::json;

json parsed(std::string_view text) {
  auto value = parse_yaml(text);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().message);
  return value.value_or(json("failed"));
}

std::string refused(std::string_view text) {
  auto value = parse_yaml(text);
  EXPECT_FALSE(value) << text << " became " << value->dump();
  return value ? "" : value.error().message;
}

TEST(Yaml, SaysWhatASlipIs) {
  EXPECT_EQ(refused("a: 1\nb:\n\tc: 1\n"), "yaml: line 3: illegal map value; it is indented with a tab: use spaces");
  EXPECT_EQ(refused("a: [1, 2\nb: 3\n"), "yaml: line 2: end of sequence flow not found; a \"[\" is never closed");
  EXPECT_THAT(refused("a: b: c\n"), testing::HasSubstr("; a text that holds \": \" belongs in quotation marks"));
  const std::string longest(1024, 'k');
  EXPECT_EQ(parsed(longest + ": 1\n"), json({{longest, 1}}));
  EXPECT_THAT(refused("k" + longest + ": 1\n"), testing::EndsWith(", and a key has at most 1,024 characters"));
  EXPECT_EQ(refused("{k" + longest + ": 1}\n"), "yaml: line 1: a key is missing, null or longer than 1,024 characters");
}

TEST(YamlScalar, ResolvesPlainWordsByTheRulesOfYaml11) {
  const std::pair<const char*, json> cases[] = {{"yes", true},
                                                {"off", false},
                                                {"On", true},
                                                {"n", false},
                                                {"", nullptr},
                                                {"~", nullptr},
                                                {"null", nullptr},
                                                {"0x10", 16},
                                                {"010", 8},
                                                {"0o17", 15},
                                                {"0b101", 5},
                                                {"-12", -12},
                                                {"+7", 7},
                                                {"1_000", 1000},
                                                {"1e3", 1000},
                                                {"1.5", 1.5},
                                                {".5", 0.5},
                                                {"1.", 1},
                                                {"-2.5e-3", -0.0025},
                                                {"1.0", 1},
                                                {"08", 8},
                                                {"1e400", "1e400"},
                                                {"v1.2", "v1.2"},
                                                {"1.2.3", "1.2.3"},
                                                {"-", "-"},
                                                {"2020-01-02", "2020-01-02"},
                                                {"0x", "0x"},
                                                {"1e", "1e"},
                                                {"truth", "truth"},
                                                {"-0", 0},
                                                {"9223372036854775807", 9223372036854775807},
                                                {"18446744073709551615", 18446744073709551615U},
                                                {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
                                                {"1e-07", 1e-7}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(resolve_plain_scalar(text).value(), expected) << text;
}

TEST(YamlScalar, RefusesNumbersThatJsonLacks) {
  for (const char* text : {".nan", ".inf", "-.Inf"}) EXPECT_FALSE(resolve_plain_scalar(text)) << text;
}

TEST(Yaml, ReadsAnExperimentConfiguration) {
  const json config = parsed(R"(
name: mnist   # a comment
hyperparameters:
  lr: {type: log, base: 10, minval: -4.0, maxval: -1}
  layers: [1, "2", yes]
searcher:
  name: single
  max_length: {epochs: 5}
entrypoint: >-
  python3
  train.py
environment:
)");
  EXPECT_EQ(config,
            json::parse(R"({"name":"mnist","hyperparameters":{"lr":{"type":"log","base":10,"minval":-4,"maxval":-1},
    "layers":[1,"2",true]},"searcher":{"name":"single","max_length":{"epochs":5}},"entrypoint":"python3 train.py",
    "environment":null})"));
}

TEST(Yaml, KeepsQuotedAndBlockScalarsAsText) {
  EXPECT_EQ(parsed("a: '1'\nb: \"yes\"\nc: |\n  12\nd: !!str 5\ne: ''\n"),
            json::parse(R"({"a":"1","b":"yes","c":"12\n","d":"5","e":""})"));
}

TEST(Yaml, ReadsEscapesAsUtf8) {
  const auto value = parse_yaml(R"("\u00e9\N": "a\_\x85\L\u2026\N")");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(value->dump(-1, ' ', true), R"({"\u00e9\u0085":"a\u00a0\u0085\u2028\u2026\u0085"})");
}

TEST(Yaml, KeepsTheSpellingOfKeys) {
  EXPECT_EQ(parsed("1: a\non: b\nn: c\n0x10: d\n"), json::parse(R"({"1":"a","on":"b","n":"c","0x10":"d"})"));
}

TEST(Yaml, ReadsEmptyTextAndJson) {
  EXPECT_EQ(parsed(""), json(nullptr));
  EXPECT_EQ(parsed("# nothing\n"), json(nullptr));
  EXPECT_EQ(parsed(R"({"a": [1, null, {"b": "c"}], "d": "\u00e9"})"),
            json::parse(R"({"a":[1,null,{"b":"c"}],"d":"é"})"));
}

TEST(Yaml, ExpandsAliasesAndMergeKeysWithTheExplicitKeyWinning) {
  EXPECT_EQ(parsed("base: &b {x: 1, y: 2}\none: {<<: *b, y: 3}\ntwo:\n  y: 4\n  <<: [*b, {x: 9, z: 5}]\n"),
            json::parse(R"({"base":{"x":1,"y":2},"one":{"x":1,"y":3},"two":{"x":1,"y":4,"z":5}})"));
  EXPECT_EQ(parsed("k: &k name\n*k : v\n"), json::parse(R"({"k":"name","name":"v"})"));
}

TEST(Yaml, NamesTheLineOfAnError) {
  EXPECT_THAT(refused("a: 1\nb: 2\na: 3\n"), testing::HasSubstr("line 3: the key \"a\" is used twice"));
  EXPECT_THAT(refused("a: 1\nb: [1, 2\n"), testing::HasSubstr("line "));
  EXPECT_THAT(refused("a: .nan\n"), testing::HasSubstr("line 1: the number .nan"));
  EXPECT_THAT(refused("a: !custom x\n"), testing::HasSubstr("line 1: the tag !custom"));
  EXPECT_THAT(refused("? [1]\n: 2\n"), testing::HasSubstr("line 1: a key must be text"));
  EXPECT_THAT(refused("~: 2\n"), testing::HasSubstr("a key is missing"));
  EXPECT_THAT(refused("a: *nobody\n"), testing::HasSubstr("line 1"));
  EXPECT_THAT(refused("a: {<<: 1}\n"), testing::HasSubstr("map merge"));
}

TEST(Yaml, RefusesTheWronglyIndentedVolumeThatCirculatesInAnOldReadme) {
  EXPECT_THAT(refused("spec:\n  volumes:\n    - name: data\n    persistentVolumeClaim:\n      claimName: x\n"),
              testing::HasSubstr("yaml: line 4"));
}

TEST(Yaml, RefusesASecondDocument) {
  EXPECT_THAT(refused("a: 1\n---\nb: 2\n"), testing::HasSubstr("more than one document"));
  EXPECT_EQ(parsed("---\na: 1\n...\n"), json::parse(R"({"a":1})"));
}

TEST(Yaml, BoundsDepthAndAliasExpansion) {
  EXPECT_THAT(refused(std::string(200, '[') + std::string(200, ']')), testing::HasSubstr("100 levels"));
  std::string bomb = "l0: &l0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string above = "*l" + std::to_string(i - 1);
    bomb += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [" + above;
    for (int k = 0; k < 9; ++k) bomb += "," + above;
    bomb += "]\n";
  }
  EXPECT_THAT(refused(bomb), testing::HasSubstr("excessive aliasing"));
  std::string chain = "l0: &l0 [x]\n";
  for (int i = 1; i < 200; ++i) {
    chain += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [*l" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_THAT(refused(chain), testing::HasSubstr("100 levels"));
  EXPECT_THAT(refused("a: &a [*a]\n"), testing::HasSubstr("inside the value it names"));
}

TEST(Yaml, RefusesBytesThatAreNotUtf8) {
  EXPECT_THAT(refused("a: \xff\n"), testing::HasSubstr("not UTF-8"));
  EXPECT_THAT(refused(std::string_view("a\0b", 3)), testing::HasSubstr("NUL"));
}

}  // namespace
}  // namespace det
