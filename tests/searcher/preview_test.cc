#include "searcher/preview.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace det::searcher {
namespace {

using nlohmann::json;

std::vector<PreviewedTrials> preview(const json& searcher, const json& hyperparameters = json::object()) {
  auto result = preview_search(searcher, hyperparameters);
  EXPECT_TRUE(result) << result.error().message;
  return result.value_or(std::vector<PreviewedTrials>());
}

PreviewedTrials complete(std::int64_t count) {
  return {.count = count, .to_completion = true, .unit = {}};
}

TEST(Preview, RunsTrialsOfSimpleSearchesToCompletion) {
  EXPECT_EQ(preview({{"name", "single"}}), std::vector{complete(1)});
  EXPECT_EQ(preview({{"name", "random"}, {"max_trials", 12}}), std::vector{complete(12)});
}

TEST(Preview, CountsThePointsOfAGrid) {
  const json hyperparameters = {{"const", 3},
                                {"words", {{"type", "categorical"}, {"vals", {"a", "b", "c"}}}},
                                {"few", {{"type", "int"}, {"minval", 1}, {"maxval", 2}, {"count", 5}}},
                                {"nested", {{"lr", {{"type", "log"}, {"minval", -3}, {"maxval", -1}, {"count", 4}}}}}};
  EXPECT_EQ(preview({{"name", "grid"}}, hyperparameters), std::vector{complete(3 * 2 * 4)});
  EXPECT_EQ(preview({{"name", "grid"}}), std::vector{complete(0)});
}

TEST(Preview, MergesTheBracketsOfAdaptiveSearch) {
  const json searcher = {{"name", "adaptive_asha"},  {"max_trials", 16}, {"max_time", 937},
                         {"time_metric", "batches"}, {"divisor", 4},     {"max_rungs", 5},
                         {"mode", "standard"}};
  // Brackets of 3 rungs with 12 trials and of 2 rungs with 4.
  const std::vector<PreviewedTrials> expected = {{.count = 9, .unit = "batches", .length = 58},
                                                 {.count = 5, .unit = "batches", .length = 234},
                                                 {.count = 2, .unit = "batches", .length = 937}};
  EXPECT_EQ(preview(searcher), expected);
}

TEST(Preview, TakesTheBracketsThatAPersonNames) {
  const json searcher = {{"name", "adaptive_asha"}, {"max_trials", 8}, {"max_time", 16},
                         {"time_metric", "epochs"}, {"divisor", 4},    {"bracket_rungs", {2}},
                         {"mode", "aggressive"}};
  const std::vector<PreviewedTrials> expected = {{.count = 6, .unit = "epochs", .length = 4},
                                                 {.count = 2, .unit = "epochs", .length = 16}};
  EXPECT_EQ(preview(searcher), expected);
}

TEST(Preview, RefusesOtherMethods) {
  const auto refused = preview_search({{"name", "async_halving"}}, json::object());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field, "searcher.name");
}

}  // namespace
}  // namespace det::searcher
