#include "wire/report_text.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "wire/metrics_report.h"

namespace det::wire {
namespace {

struct Written {
  std::vector<std::string> names;
  std::vector<double> values;
  std::string others;
};

Json text_of(const std::vector<Written>& written, const std::string& group = "training", std::string_view batch = {}) {
  std::vector<std::vector<std::string>> keys;
  for (const Written& part : written) keys.push_back(report_keys(part.names));
  std::vector<ReportPart> parts;
  for (std::size_t i = 0; i < written.size(); ++i) {
    parts.push_back({.keys = keys[i], .values = written[i].values, .others = written[i].others});
  }
  std::string out;
  append_report(out,
                {.trial = {7},
                 .run = 2,
                 .group = group,
                 .steps = 100,
                 .time = WallTime(std::chrono::seconds(1'700'000'000)),
                 .number = 3,
                 .batch_metrics = batch},
                parts);
  return Json::parse(out);
}

Json tree_of(const Json& metrics, const std::string& group = "training", const Json& batch = nullptr) {
  return to_json(MetricsReport{.trial = {7},
                               .run = 2,
                               .group = group,
                               .steps = 100,
                               .time = WallTime(std::chrono::seconds(1'700'000'000)),
                               .metrics = metrics,
                               .batch_metrics = batch,
                               .number = 3});
}

TEST(ReportText, SaysWhatTheTreeSays) {
  EXPECT_EQ(text_of({{{"loss", "a \"b\"\n"}, {0.5, -3}, ""}}), tree_of({{"loss", 0.5}, {"a \"b\"\n", -3}}));
  EXPECT_EQ(text_of({{{"loss"}, {1e300}, ""}}, "validation"), tree_of({{"loss", 1e300}}, "validation"));
  EXPECT_EQ(text_of({{{"loss"}, {0.1}, ""}}, "x\"", "[{\"n\": 1}]"), tree_of({{"loss", 0.1}}, "x\"", {{{"n", 1}}}));
  EXPECT_EQ(text_of({}), tree_of(Json::object()));
}

TEST(ReportText, TakesWhatIsNoNumberAndOfTwoSetsOfNamesTheFirst) {
  EXPECT_EQ(text_of({{{"a", "b"}, {1, std::nan("")}, R"({"b": {"c": [1]}})"}}),
            tree_of({{"a", 1}, {"b", {{"c", {1}}}}}));
  EXPECT_EQ(text_of({{{"a"}, {1}, ""}, {{"a", "b"}, {2, 3}, ""}}), tree_of({{"a", 1}, {"b", 3}}));
}

TEST(ReportText, WritesNumbersAsTheWireDoes) {
  const auto number_text = [](double value) {
    std::string out;
    append_number(out, value);
    return out;
  };
  EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "\"NaN\"");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "\"-Infinity\"");
  EXPECT_EQ(number_text(3), "3");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(1e-7), "1e-07");
  EXPECT_EQ(number_text(1e20), "1e+20");
}

}  // namespace
}  // namespace det::wire
