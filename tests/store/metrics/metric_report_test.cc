#include "store/metrics/metric_report.h"

#include <cmath>

#include <gtest/gtest.h>

namespace det::store {
namespace {

using nlohmann::json;

TEST(SplitMetrics, SortsNamesAndKeepsNumbers) {
  const auto split = split_metrics({{"loss", 0.1}, {"acc", 1}, {"batches", 100}}, nullptr);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->names, (std::vector<std::string>{"acc", "batches", "loss"}));
  EXPECT_EQ(split->values, (std::vector<std::optional<double>>{1, 100, 0.1}));
  EXPECT_TRUE(split->extra.is_null());
}

TEST(SplitMetrics, TakesTheWiresWordsForNaNAndInfinity) {
  const auto split = split_metrics({{"a", "NaN"}, {"b", "Infinity"}, {"c", "-Infinity"}}, nullptr);
  ASSERT_TRUE(split);
  EXPECT_TRUE(std::isnan(*split->values[0]));
  EXPECT_EQ(*split->values[1], INFINITY);
  EXPECT_EQ(*split->values[2], -INFINITY);
  EXPECT_TRUE(split->extra.is_null());
}

TEST(SplitMetrics, PutsEverythingElseBeside) {
  const json batch = json::array({{{"loss", 1.0}}, {{"loss", 2.0}}});
  const auto split = split_metrics({{"text", "x"}, {"none", nullptr}, {"map", {{"k", 1}}}, {"yes", true}}, batch);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->names.size(), 4U);
  for (const auto& value : split->values) EXPECT_FALSE(value);
  EXPECT_EQ(split->extra["avg"], json({{"text", "x"}, {"none", nullptr}, {"map", {{"k", 1}}}, {"yes", true}}));
  EXPECT_EQ(split->extra["batch"], batch);
}

TEST(SplitMetrics, RefusesNamesAndNumbersOfMetricsWithoutBound) {
  const std::string longest(kLongestMetricName, 'n');
  EXPECT_TRUE(split_metrics({{longest, 1}}, nullptr));
  const auto refused = split_metrics({{longest + "n", 1}}, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_LT(refused.error().message.size(), 200U);
  json many = json::object();
  for (std::size_t i = 0; i <= kMostMetrics; ++i) many[std::to_string(i)] = i;
  EXPECT_FALSE(split_metrics(many, nullptr));
}

TEST(SplitMetrics, KeepsNothingThatPostgresCannot) {
  const auto split = split_metrics({{std::string("a\0b", 3), 1}}, nullptr);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->names[0],
            "a\xEF\xBF\xBD"
            "b");
}

TEST(SplitMetrics, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(split_metrics(json::array(), nullptr).error().field, "metrics.metrics.avgMetrics");
  EXPECT_EQ(split_metrics(json::object(), 7).error().field, "metrics.metrics.batchMetrics");
}

}  // namespace
}  // namespace det::store
