#include "local/kubeapi/patch.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

const Subject kSubject{"", "pods", "Pod", "p"};

json applied(PatchKind kind, const char* object, const char* patch) {
  const auto result = apply_patch(kind, json::parse(object), json::parse(patch), kSubject);
  EXPECT_TRUE(result) << result.error().message;
  return result.value_or(json());
}

json merged(const char* object, const char* patch) {
  return applied(PatchKind::kStrategic, object, patch);
}

TEST(MergePatch, NullRemoves) {
  EXPECT_EQ(applied(PatchKind::kMerge, R"({"a":1,"b":{"c":2,"d":3}})", R"({"a":null,"b":{"c":4}})"),
            json::parse(R"({"b":{"c":4,"d":3}})"));
}

TEST(JsonPatch, AppliesInOrderOrNotAtAll) {
  const char* const object = R"({"a":[1,2]})";
  EXPECT_EQ(
      applied(PatchKind::kJson, object, R"([{"op":"add","path":"/a/-","value":3},{"op":"remove","path":"/a/0"}])"),
      json::parse(R"({"a":[2,3]})"));
  const auto failed = apply_patch(PatchKind::kJson, json::parse(object),
                                  json::parse(R"([{"op":"test","path":"/a/0","value":9}])"), kSubject);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, 422);
  EXPECT_EQ(apply_patch(PatchKind::kJson, json::parse(object), json::object(), kSubject).error().code, 400);
}

TEST(JsonPatch, CannotGrowAnObjectWithoutEnd) {
  json patch = json::array();
  for (int i = 0; i < 40; ++i) {
    patch.push_back({{"op", "copy"}, {"from", "/a"}, {"path", "/a/" + std::string("-")}});
  }
  const json object = {{"a", json::array({std::string(1000, 'x')})}};
  const auto grown = apply_patch(PatchKind::kJson, object, patch, kSubject);
  ASSERT_FALSE(grown);
  EXPECT_EQ(grown.error().code, 400);
}

TEST(StrategicPatch, MergesListsByTheirKeys) {
  EXPECT_EQ(merged(R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]}})",
                   R"({"spec":{"containers":[{"name":"b","image":"3"},{"name":"c","image":"4"}]}})"),
            json::parse(R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"3"},
                            {"name":"c","image":"4"}]}})"));
}

TEST(StrategicPatch, DeletesAnItemOfAList) {
  EXPECT_EQ(merged(R"({"spec":{"schedulingGates":[{"name":"a"},{"name":"b"}]}})",
                   R"({"spec":{"schedulingGates":[{"$patch":"delete","name":"a"}]}})"),
            json::parse(R"({"spec":{"schedulingGates":[{"name":"b"}]}})"));
}

TEST(StrategicPatch, ReplacesListsOfPlainValues) {
  EXPECT_EQ(merged(R"({"args":["a"]})", R"({"args":["b","c"]})"), json::parse(R"({"args":["b","c"]})"));
}

TEST(StrategicPatch, AddsToFinalizersAndTakesAway) {
  EXPECT_EQ(merged(R"({"finalizers":["a/b"]})", R"({"finalizers":["a/b","c/d"]})"),
            json::parse(R"({"finalizers":["a/b","c/d"]})"));
  EXPECT_EQ(merged(R"({"finalizers":["a/b","c/d"]})", R"({"$deleteFromPrimitiveList/finalizers":["a/b"]})"),
            json::parse(R"({"finalizers":["c/d"]})"));
}

TEST(StrategicPatch, UnderstandsTheDirectivesThatKubectlSends) {
  EXPECT_EQ(merged(R"({"a":{"x":1,"y":2}})", R"({"a":{"$patch":"replace","z":3}})"), json::parse(R"({"a":{"z":3}})"));
  EXPECT_EQ(merged(R"({"v":[{"name":"n","emptyDir":{}}]})", R"({"v":[{"$patch":"replace"},{"name":"m"}]})"),
            json::parse(R"({"v":[{"name":"m"}]})"));
  EXPECT_EQ(merged(R"({"volumes":[{"name":"n","emptyDir":{}}]})",
                   R"({"volumes":[{"$retainKeys":["name","hostPath"],"name":"n","hostPath":{"path":"/"}}]})"),
            json::parse(R"({"volumes":[{"name":"n","hostPath":{"path":"/"}}]})"));
  EXPECT_EQ(merged(R"({"env":[{"name":"a"},{"name":"b"}]})",
                   R"({"$setElementOrder/env":[{"name":"c"},{"name":"a"},{"name":"b"}],"env":[{"name":"c"}]})"),
            json::parse(R"({"env":[{"name":"c"},{"name":"a"},{"name":"b"}]})"));
}

TEST(StrategicPatch, NamesTheKeyThatIsMissing) {
  const auto wrong = strategic_merge(json::object(), json::parse(R"({"containers":[{"image":"x"}]})"));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, R"(map: {"image":"x"} does not contain declared merge key: name)");
}

TEST(ParseJson, RefusesWhatIsNestedTooDeeply) {
  EXPECT_EQ(parse_json(std::string(100'000, '[')).error().code, 400);
  EXPECT_TRUE(parse_json(R"({"a":"[[[[{{{"})"));
  EXPECT_EQ(parse_json("{\"a\":\"\xff\"}").error().code, 400);
}

}  // namespace
}  // namespace det::local::kubeapi
