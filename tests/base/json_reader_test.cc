#include "base/json_reader.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace det {
namespace {

using nlohmann::json;

TEST(JsonReader, ReadsEveryType) {
  const json value = json::parse(R"({"s":"x","i":3,"whole":2.0,"n":1.5,"b":true,"list":["a","b"],"o":{"k":1},
                                     "items":[{"k":2},{"k":3}],"m":{"x":{"k":4}}})");
  FieldErrors errors;
  JsonReader reader(value, errors);
  EXPECT_EQ(reader.string("s"), "x");
  EXPECT_EQ(reader.integer("i"), 3);
  EXPECT_EQ(reader.integer("whole"), 2);
  EXPECT_EQ(reader.number("n"), 1.5);
  EXPECT_EQ(reader.boolean("b"), true);
  EXPECT_EQ(reader.strings("list"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reader.object("o").integer("k"), 1);
  auto items = reader.objects("items");
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[1].integer("k"), 3);
  auto members = reader.members("m");
  ASSERT_EQ(members.size(), 1U);
  EXPECT_EQ(members[0].second.integer("k"), 4);
  reader.refuse_unknown_keys();
  EXPECT_THAT(errors, testing::IsEmpty());
}

TEST(JsonReader, TreatsNullAndAbsentAlike) {
  const json value = json::parse(R"({"a":null})");
  FieldErrors errors;
  JsonReader reader(value, errors);
  EXPECT_EQ(reader.string("a"), std::nullopt);
  EXPECT_EQ(reader.integer("b"), std::nullopt);
  EXPECT_EQ(reader.object("a").object("deeper").string("x"), std::nullopt);
  EXPECT_TRUE(reader.objects("c").empty());
  EXPECT_EQ(reader.any("a"), nullptr);
  EXPECT_THAT(errors, testing::IsEmpty());
}

TEST(JsonReader, CollectsEveryErrorWithItsPath) {
  const json value = json::parse(R"({"resources":{"slots":"8","priority":100,"weight":-1,"devices":[{"mode":5}]},
                                     "policy":"some","labels":["a",1],"zz":1,"aa":2})");
  FieldErrors errors;
  JsonReader reader(value, errors);
  auto resources = reader.object("resources");
  EXPECT_EQ(resources.integer("slots"), std::nullopt);
  EXPECT_EQ(resources.integer("priority", {.min = 1, .max = 99}), std::nullopt);
  EXPECT_EQ(resources.integer("weight", {.min = 0}), std::nullopt);
  auto devices = resources.objects("devices");
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].string("mode"), std::nullopt);
  devices[0].require("host_path");
  constexpr std::array<std::string_view, 2> kPolicies = {"best", "all"};
  EXPECT_EQ(reader.choice("policy", kPolicies), std::nullopt);
  EXPECT_TRUE(reader.strings("labels").has_value());
  reader.refuse_unknown_keys();
  EXPECT_EQ(join_errors(errors),
            "<config>.labels[1]: expected string, but got number\n"
            "<config>.policy: value must be one of <nil>, \"best\", \"all\" (it is \"some\")\n"
            "<config>.resources.devices[0].mode: expected string or null, but got number\n"
            "<config>.resources.devices[0]: missing properties: \"host_path\"\n"
            "<config>.resources.priority: must be <= 99 but found 100\n"
            "<config>.resources.slots: expected integer or null, but got string\n"
            "<config>.resources.weight: must be >= 0 but found -1\n"
            "<config>: additionalProperties \"aa\", \"zz\" not allowed");
}

TEST(JsonReader, RefusesADocumentThatIsNotAnObject) {
  const json value = json::parse("[1]");
  FieldErrors errors;
  JsonReader reader(value, errors);
  EXPECT_FALSE(reader.is_present());
  EXPECT_EQ(join_errors(errors, "<body>"), "<body>: expected object or null, but got array");
}

TEST(JsonReader, MapsWordsToEnumerators) {
  enum class Color { kRed, kBlue };
  constexpr std::array<std::pair<std::string_view, Color>, 2> kColors = {
      {{"red", Color::kRed}, {"blue", Color::kBlue}}};
  const json value = json::parse(R"({"a":"blue","b":"green"})");
  FieldErrors errors;
  JsonReader reader(value, errors);
  EXPECT_EQ(reader.choice<Color>("a", kColors), Color::kBlue);
  EXPECT_EQ(reader.choice<Color>("b", kColors), std::nullopt);
  EXPECT_EQ(joined_error(errors).field, "b");
}

TEST(WholeNumber, RefusesFractionsAndWhatDoesNotFit) {
  EXPECT_EQ(whole_number(json(2.0)), 2);
  EXPECT_EQ(whole_number(json(2.5)), std::nullopt);
  EXPECT_EQ(whole_number(json(1e300)), std::nullopt);
  EXPECT_EQ(whole_number(json(18446744073709551615U)), std::nullopt);
  EXPECT_EQ(whole_number(json("2")), std::nullopt);
}

}  // namespace
}  // namespace det
