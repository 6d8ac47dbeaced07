#include "model/expconf/hyperparameters.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace det::model {
namespace {

using nlohmann::json;

std::string errors_of(const char* text) {
  FieldErrors errors;
  check_hyperparameters(json::parse(text), "hyperparameters", errors);
  check_hyperparameters_runnable(json::parse(text), "hyperparameters", errors);
  return join_errors(errors);
}

json normal(const char* text) {
  json value = json::parse(text);
  normalise_hyperparameters(value);
  return value;
}

TEST(Hyperparameters, BecomeTyped) {
  EXPECT_EQ(
      normal(R"({"a":1,"b":{"type":"int","minval":1,"maxval":5,"count":null},"c":{"d":[1,{"x":2}],"e":null},"f":{}})"),
      json::parse(R"({"a":{"type":"const","val":1},"b":{"type":"int","minval":1,"maxval":5},
              "c":{"d":{"type":"const","val":[1,{"x":2}]},"e":{"type":"const","val":null}},"f":{}})"));
}

TEST(Hyperparameters, AreNumbersAsDoublesPrintThem) {
  const json value =
      normal(R"({"whole":1.0,"tiny":1e-7,"big":9007199254740993,"in_list":{"type":"categorical","vals":[2.0]}})");
  EXPECT_EQ(value["whole"]["val"].dump(), "1");
  EXPECT_EQ(value["tiny"]["val"].dump(), "1e-07");
  EXPECT_EQ(value["big"]["val"].dump(), "9007199254740992");
  EXPECT_EQ(value["in_list"]["vals"].dump(), "[2]");
}

TEST(Hyperparameters, AreRefusedWithTheirPath) {
  EXPECT_EQ(
      errors_of(R"({"ok":5,"n":{"a":{"type":"int","minval":5,"maxval":5},"b":{"type":"double","minval":1}},
                          "c":{"type":"rnd"},"d":{"type":"categorical","vals":[]},"e":{"type":"const"},
                          "f":{"type":"log","minval":0,"maxval":1,"base":0},"g":{"type":"int","minval":0.5,"maxval":2}})"),
      R"(<config>.hyperparameters.c: if a hyperparameter object's ["type"] is set, it must be one of "int", "double", "log", const", or "categorical"
<config>.hyperparameters.d.vals: must have at least one value to choose from
<config>.hyperparameters.e: missing properties: "val"
<config>.hyperparameters.f.base: must be > 0 but found 0
<config>.hyperparameters.g.minval: expected integer, but got number
<config>.hyperparameters.n.a: minval must be less than maxval
<config>.hyperparameters.n.b: missing properties: "maxval")");
}

TEST(Hyperparameters, MergeOnlyMapWithMap) {
  const json ours = normal(R"({"net":{"backbone":"bert"},"lr":{"type":"int","minval":1,"maxval":2}})");
  const json theirs = normal(R"({"net":{"task":"lm"},"lr":{"type":"int","minval":5,"maxval":9,"count":3},"x":1})");
  EXPECT_EQ(merge_hyperparameters(ours, theirs),
            normal(R"({"net":{"backbone":"bert","task":"lm"},"lr":{"type":"int","minval":1,"maxval":2},"x":1})"));
  EXPECT_EQ(merge_hyperparameters(normal(R"({"net":null})"), theirs)["net"],
            json({{"type", "const"}, {"val", nullptr}}));
}

}  // namespace
}  // namespace det::model
