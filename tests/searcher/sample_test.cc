#include "searcher/sample.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "model/expconf/hyperparameters.h"
#include "searcher/go_math.h"
#include "tests/searcher/data.h"

namespace det::searcher {
namespace {

using nlohmann::json;

json normal(json space) {
  FieldErrors errors;
  model::check_hyperparameters(space, "", errors);
  EXPECT_TRUE(errors.empty()) << join_errors(errors);
  model::normalise_hyperparameters(space);
  return space;
}

TEST(GoMath, GivesTheRecordedPowersAndLogarithmsToTheLastBit) {
  const json record = read_whole("gomath.json");
  for (const json& entry : record.at("pow")) {
    const auto base = entry.at("base").get<double>();
    const auto exponent = entry.at("exp").get<double>();
    EXPECT_EQ(go_pow(base, exponent), exact(entry.at("pow"))) << base << "^" << exponent;
    EXPECT_EQ(go_log(base), exact(entry.at("log_base"))) << base;
  }
  for (const json& entry : record.at("log_ratio")) {
    const double ratio = go_log(entry.at("n").get<double>()) / go_log(entry.at("divisor").get<double>());
    EXPECT_EQ(ratio, exact(entry.at("ratio"))) << entry.dump();
    EXPECT_EQ(static_cast<int>(ratio) + 1, entry.at("rungs"));
  }
}

TEST(GoMath, KeepsToTheRulesAtTheEdges) {
  EXPECT_EQ(go_pow(10, 0), 1);
  EXPECT_EQ(go_pow(1, 1e300), 1);
  EXPECT_EQ(go_pow(3, 1), 3);
  EXPECT_EQ(go_pow(4, 0.5), 2);
  EXPECT_EQ(go_pow(4, -0.5), 0.5);
  EXPECT_EQ(go_pow(10, 400), INFINITY);
  EXPECT_EQ(go_pow(10, -400), 0);
  EXPECT_EQ(go_pow(2, 1e30), INFINITY);
  EXPECT_EQ(go_pow(0.5, 1e30), 0);
  EXPECT_EQ(go_exp(1000), INFINITY);
  EXPECT_EQ(go_exp(-1000), 0);
}

TEST(Sampling, GivesTheRecordedTrialsAndConsumesAsMuch) {
  for (const json& record : read_lines("hparam_samples.jsonl")) {
    const json space = normal(record.at("hyperparameters"));
    Prng prng(record.at("seed").get<std::uint32_t>());
    for (const json& sample : record.at("samples")) {
      EXPECT_EQ(sample_hyperparameters(space, prng), sample) << record.at("space");
    }
    EXPECT_EQ(prng.bits32(), record.at("next_bits32")) << record.at("space");
  }
}

TEST(Sampling, OfNestedMapsGivesOneOfUpstreamsOutcomes) {
  for (const json& record : read_lines("nested_unordered.jsonl")) {
    Prng prng(record.at("seed").get<std::uint32_t>());
    const json sample = sample_hyperparameters(normal(record.at("hyperparameters")), prng);
    const std::uint32_t next = prng.bits32();
    const json& possible = record.at("possible_first_samples");
    EXPECT_TRUE(std::any_of(possible.begin(), possible.end(), [&](const json& outcome) {
      return outcome.at("sample") == sample && outcome.at("next_bits32") == next;
    })) << sample.dump();
  }
}

TEST(Hparams, AreTheSameByNameAndAsAWhole) {
  const auto space = std::make_shared<const HparamSpace>(
      normal(json::parse(R"({"a":{"type":"int","minval":-5,"maxval":5},"b":{"type":"const","val":[1,"x"]},
      "c":{"x":{"type":"categorical","vals":["one",{"two":2}]},"y":{"type":"double","minval":0,"maxval":1},"z":3},
      "d":{"type":"log","base":10,"minval":-4,"maxval":-1},"e":{"type":"categorical","vals":[true,null]}})")));
  EXPECT_EQ(space->size(), 5U);
  Prng prng(3);
  for (int i = 0; i < 100; ++i) {
    const Hparams drawn(space, prng);
    const json whole = drawn.json();
    ASSERT_EQ(whole.size(), 5U);
    for (const auto& [name, value] : whole.items()) EXPECT_EQ(drawn.at(name), value) << name;
    EXPECT_EQ(whole.at("c").at("z"), 3);
    EXPECT_TRUE(drawn.at("nobody").is_null());
    EXPECT_EQ(Hparams(whole), drawn);
    EXPECT_EQ(Hparams(whole).at("d"), whole.at("d"));
  }
  EXPECT_EQ(Hparams().json(), json::object());
  EXPECT_TRUE(Hparams().at("a").is_null());
}

TEST(Sampling, StaysWithinRangesOfEveryWidth) {
  const json space =
      normal(json::parse(R"({"wide":{"type":"int","minval":-9000000000000000000,"maxval":9000000000000000000},
      "two":{"type":"int","minval":1,"maxval":2},"d":{"type":"double","minval":-1,"maxval":1}})"));
  Prng prng(3);
  for (int i = 0; i < 1000; ++i) {
    const json sample = sample_hyperparameters(space, prng);
    const auto two = sample.at("two").get<int>();
    EXPECT_TRUE(two == 1 || two == 2);
    EXPECT_LT(std::abs(sample.at("d").get<double>()), 1.0 + 1e-12);
    EXPECT_LE(std::abs(sample.at("wide").get<double>()), 9.1e18);
  }
}

}  // namespace
}  // namespace det::searcher
