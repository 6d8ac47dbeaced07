#include "searcher/importance.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "searcher/prng.h"

namespace det::searcher {
namespace {

using nlohmann::json;

// Trials whose hyperparameters come from `draw` and whose metric `metric` says.
std::vector<MeasuredTrial> trials_of(int count, const std::function<json(Prng&)>& draw,
                                     const std::function<double(const json&, Prng&)>& metric) {
  Prng prng(7);
  std::vector<MeasuredTrial> trials;
  for (int i = 0; i < count; ++i) {
    json hparams = draw(prng);
    const double value = metric(hparams, prng);
    trials.push_back({.hparams = std::move(hparams), .metric = value});
  }
  return trials;
}

json three_numbers(Prng& prng) {
  return {{"a", prng.unit_interval()}, {"b", prng.unit_interval()}, {"c", prng.unit_interval()}};
}

double a_of(const json& hparams) {
  return hparams["a"].get<double>();
}
double b_of(const json& hparams) {
  return hparams["b"].get<double>();
}

std::map<std::string, double> by_name(const Importance& importance) {
  std::map<std::string, double> found;
  for (const auto& one : importance.hyperparameters) found[one.name] = one.share.mean;
  return found;
}

TEST(Importance, IsAllOfOneHyperparameterWhereOnlyItMatters) {
  const auto trials = trials_of(200, three_numbers, [](const json& hparams, Prng&) { return 5 * a_of(hparams); });
  const Importance found = importance_of(trials, {});
  ASSERT_EQ(found.hyperparameters.size(), 3U) << found.reason;
  EXPECT_EQ(found.hyperparameters[0].name, "a");
  EXPECT_GT(found.hyperparameters[0].share.mean, 0.95);
  EXPECT_LT(found.hyperparameters[1].share.mean, 0.02);
  EXPECT_LT(found.together.mean, 0.05);
  EXPECT_GT(found.fit, 0.95);
  EXPECT_EQ(found.trials, 200U);
  EXPECT_EQ(found.reason, "");
}

TEST(Importance, IsSharedAsTheVarianceIs) {
  // Variances of 2a and b are as 4 to 1.
  const auto trials =
      trials_of(400, three_numbers, [](const json& hparams, Prng&) { return 2 * a_of(hparams) + b_of(hparams); });
  auto shares = by_name(importance_of(trials, {}));
  EXPECT_NEAR(shares["a"], 0.8, 0.08);
  EXPECT_NEAR(shares["b"], 0.2, 0.08);
  EXPECT_LT(shares["c"], 0.02);
}

TEST(Importance, TellsWhatOnlyTwoTogetherExplain) {
  // Neither alone says anything: half of all b make it high for every a.
  const auto trials = trials_of(400, three_numbers, [](const json& hparams, Prng&) {
    return (a_of(hparams) > 0.5) == (b_of(hparams) > 0.5) ? 1.0 : 0.0;
  });
  const Importance found = importance_of(trials, {});
  EXPECT_GT(found.together.mean, 0.7);
  for (const auto& one : found.hyperparameters) EXPECT_LT(one.share.mean, 0.2) << one.name;
  EXPECT_GT(found.fit, 0.5);
}

TEST(Importance, SaysByItsFitThatNoiseIsNoise) {
  const auto trials = trials_of(200, three_numbers, [](const json&, Prng& prng) { return prng.unit_interval(); });
  const Importance found = importance_of(trials, {});
  EXPECT_LT(found.fit, 0.1);
  for (const auto& one : found.hyperparameters) EXPECT_GT(one.share.deviation, 0.02) << one.name;
}

TEST(Importance, IsLessCertainOfFewTrials) {
  const auto metric = [](const json& hparams, Prng& prng) {
    return a_of(hparams) + 0.5 * b_of(hparams) + 0.2 * prng.unit_interval();
  };
  const Importance few = importance_of(trials_of(12, three_numbers, metric), {});
  const Importance many = importance_of(trials_of(600, three_numbers, metric), {});
  ASSERT_EQ(many.hyperparameters[0].name, "a");
  ASSERT_EQ(few.hyperparameters.size(), 3U);
  EXPECT_LT(2 * many.hyperparameters[0].share.deviation, few.hyperparameters[0].share.deviation);
}

TEST(Importance, TakesLogarithmicCategoricalWholeAndNestedOnes) {
  const json space = {{"lr", {{"type", "log"}, {"base", 10}, {"minval", -5}, {"maxval", 0}}},
                      {"net", {{"act", {{"type", "categorical"}, {"vals", {"relu", "tanh", "gelu"}}}}}},
                      {"layers", {{"type", "int"}, {"minval", 1}, {"maxval", 8}}},
                      {"constant", {{"type", "const"}, {"val", 4}}}};
  const auto draw = [](Prng& prng) -> json {
    const char* const acts[] = {"relu", "tanh", "gelu"};
    return {{"lr", std::pow(10, prng.uniform(-5, 0))},
            {"net", {{"act", acts[prng.below(3)]}}},
            {"layers", prng.between(1, 9)},
            {"constant", 4}};
  };
  // The exponent's variance is 25/12 (in units of decades), that of the category 2/9 of its height squared.
  const auto metric = [](const json& hparams, Prng&) {
    return std::log10(hparams["lr"].get<double>()) + (hparams["net"]["act"] == "gelu" ? 3.0 : 0.0);
  };
  const Importance found = importance_of(trials_of(400, draw, metric), space);
  auto shares = by_name(found);
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_NEAR(shares["lr"], 0.51, 0.1);
  EXPECT_NEAR(shares["net.act"], 0.49, 0.1);
  EXPECT_LT(shares["layers"], 0.03);
  EXPECT_EQ(shares.count("constant"), 0U);
}

TEST(Importance, CountsAMissingValueAsAPlaceOfItsOwn) {
  const auto draw = [](Prng& prng) -> json {
    json hparams = {{"a", prng.unit_interval()}};
    if (prng.unit_interval() < 0.5) hparams["momentum"] = 0.9;
    if (prng.unit_interval() < 0.5) hparams["depth"] = prng.between(1, 5);
    return hparams;
  };
  const auto metric = [](const json& hparams, Prng&) { return hparams.contains("momentum") ? 1.0 : 0.0; };
  auto shares = by_name(importance_of(trials_of(200, draw, metric), {}));
  EXPECT_GT(shares["momentum"], 0.9);
  EXPECT_LT(shares["depth"], 0.05);
}

TEST(Importance, IsNotThatOfOneTrialThatDiverged) {
  auto trials = trials_of(100, three_numbers, [](const json& hparams, Prng&) { return a_of(hparams); });
  trials.push_back({.hparams = {{"a", 0.5}, {"b", 0.99}, {"c", 0.5}}, .metric = 1e300});
  trials.push_back({.hparams = {{"a", 0.1}, {"b", 0.1}, {"c", 0.5}}, .metric = -1e308});
  trials.push_back(
      {.hparams = {{"a", 0.1}, {"b", 0.1}, {"c", 0.5}}, .metric = std::numeric_limits<double>::infinity()});
  trials.push_back({.hparams = {{"a", 0.1}, {"b", 0.1}, {"c", 0.5}}, .metric = std::nan("")});
  const Importance found = importance_of(trials, {});
  EXPECT_EQ(found.trials, 102U);
  EXPECT_EQ(found.hyperparameters.at(0).name, "a");
  EXPECT_GT(found.hyperparameters.at(0).share.mean, 0.5);
}

// Of programs that run elsewhere: nobody has checked their hyperparameters.
TEST(Importance, LooksAtTheFirstOfVeryManyNames) {
  std::vector<MeasuredTrial> trials;
  for (int i = 0; i < 50; ++i) {
    json hparams = {{"a", i}};
    for (int k = 0; k < 200; ++k) hparams["z" + std::to_string(i) + "_" + std::to_string(k)] = k;
    trials.push_back({.hparams = std::move(hparams), .metric = static_cast<double>(i)});
  }
  const Importance found = importance_of(trials, {});
  EXPECT_EQ(found.hyperparameters.size(), kMostHyperparameters);
  EXPECT_EQ(found.hyperparameters.front().name, "a");
  EXPECT_GT(found.left_out, 200U);
}

TEST(Importance, SaysInWordsWhyThereIsNone) {
  const auto some = [](int count, auto draw) {
    return importance_of(trials_of(count, draw, [](const json&, Prng& prng) { return prng.unit_interval(); }), {});
  };
  EXPECT_EQ(some(0, three_numbers).reason, "0 trials have ended with a metric; it takes 8 to tell anything");
  EXPECT_EQ(some(1, three_numbers).reason, "1 trial has ended with a metric; it takes 8 to tell anything");
  EXPECT_EQ(some(20, [](Prng&) -> json { return {{"a", 1}}; }).reason, "all trials have the same hyperparameters");
  const Importance flat = importance_of(trials_of(20, three_numbers, [](const json&, Prng&) { return 3.0; }), {});
  EXPECT_EQ(flat.reason, "all trials have the same metric");
  EXPECT_TRUE(flat.hyperparameters.empty());
  EXPECT_EQ(some(8, three_numbers).reason, "");
}

TEST(Importance, TakesAnyShapeOfHyperparameters) {
  const auto draw = [](Prng& prng) -> json {
    json hparams = {{"list", {1, prng.below(2)}},
                    {"mixed", prng.below(2) == 0 ? json(1) : json("one")},
                    {"text", "value " + std::to_string(prng.below(300))},
                    {"flag", prng.below(2) == 0},
                    {"huge", prng.below(2) == 0 ? 1e308 : -1e308},
                    {"null", nullptr},
                    {"log", prng.between(-3, 3)}};
    return hparams;
  };
  const json space = {{"log", {{"type", "log"}}}, {"mixed", 3}, {"flag", "x"}};
  const auto trials = trials_of(300, draw, [](const json& hparams, Prng&) { return hparams["flag"] == true ? 1 : 0; });
  const Importance found = importance_of(trials, space);
  EXPECT_EQ(found.hyperparameters.at(0).name, "flag");
  EXPECT_GT(found.hyperparameters.at(0).share.mean, 0.9);
  EXPECT_EQ(found, importance_of(trials, space));
}

TEST(Importance, LooksAtABoundedPartOfWhatIsThere) {
  const auto draw = [](Prng& prng) -> json {
    json hparams;
    for (int i = 0; i < 130; ++i) hparams["p" + std::to_string(1000 + i)] = prng.unit_interval();
    return hparams;
  };
  const auto metric = [](const json& hparams, Prng&) { return hparams["p1005"].get<double>(); };
  const Importance found = importance_of(trials_of(1200, draw, metric), {});
  EXPECT_EQ(found.trials, kMostTrials);
  EXPECT_EQ(found.left_out, 30U);
  EXPECT_EQ(found.hyperparameters.size(), kMostHyperparameters);
  EXPECT_EQ(found.hyperparameters[0].name, "p1005");
}

}  // namespace
}  // namespace det::searcher
