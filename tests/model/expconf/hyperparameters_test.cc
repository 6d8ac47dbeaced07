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

TEST(Hyperparameters, AreRefusedWhereARangeReachesInfinity) {
  EXPECT_EQ(
      errors_of(R"({"lr":{"type":"log","base":10,"minval":1,"maxval":1000},
                          "n":{"d":{"type":"log","base":0.5,"minval":-2000,"maxval":0}}})"),
      R"(<config>.hyperparameters.lr.maxval: 10^1000 is beyond all numbers: minval and maxval are exponents of base, so that -4 to -1 with base 10 is 0.0001 to 0.1; with base 10 exponents up to 308 work
<config>.hyperparameters.n.d.minval: 0.5^-2000 is beyond all numbers: minval and maxval are exponents of base, so that -4 to -1 with base 10 is 0.0001 to 0.1; with base 0.5 exponents from -1023 on work)");
  EXPECT_EQ(
      errors_of(R"({"w":{"type":"double","minval":-1e308,"maxval":1e308}})"),
      "<config>.hyperparameters.w: the range from minval -1e+308 to maxval 1e+308 is too wide to be counted in: ends "
      "between -1e300 and 1e300 work");
  EXPECT_NE(errors_of(R"({"w":{"type":"double","minval":0,"maxval":1e308,"count":10}})"), "") << "a grid counts in it";
  EXPECT_EQ(errors_of(R"({"a":{"type":"log","base":10,"minval":-1000,"maxval":308},"b":{"type":"double","minval":-1e300,
                          "maxval":1e300,"count":1000000},"c":{"type":"log","base":1,"minval":0,"maxval":5000},
                          "d":{"type":"double","minval":1e308,"maxval":1.7e308}})"),
            "");
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
