#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/expconf/hyperparameters.h"
#include "searcher/grid_points.h"
#include "tests/searcher/data.h"

namespace det::searcher {
namespace {

using nlohmann::json;

Result<GridPoints> grid_of(json space) {
  model::normalise_hyperparameters(space);
  return GridPoints::of(space);
}

TEST(Grid, HasTheRecordedPointsInTheirOrder) {
  for (const json& record : read_lines("grids.jsonl")) {
    const auto points = grid_of(record.at("hyperparameters"));
    ASSERT_TRUE(points) << record.at("space");
    json grid = json::array();
    for (std::int64_t i = 0; i < points->size(); ++i) grid.push_back(points->at(i));
    EXPECT_EQ(grid, record.at("grid")) << record.at("space");
    EXPECT_EQ(points->size(), record.at("count"));
  }
}

TEST(Grid, NestsUnderNamesThatLookLikeNumbers) {
  const auto points = grid_of(json::parse(R"({"o": {"0": {"type": "categorical", "vals": [7]}, "a/b": 1}})"));
  EXPECT_EQ(points.value().at(0), json::parse(R"({"o": {"0": 7, "a/b": 1}})"));
}

TEST(Grid, RefusesMorePointsThanItCanHold) {
  const json axis = {{"type", "int"}, {"minval", 0}, {"maxval", 1999999}, {"count", 1000}};
  EXPECT_EQ(grid_of({{"a", axis}, {"b", axis}}).value().size(), 1'000'000);
  const auto refused = grid_of({{"a", axis}, {"b", axis}, {"c", {{"type", "categorical"}, {"vals", {1, 2}}}}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("the grid has more than 1000000 points"));
  EXPECT_EQ(refused.error().field, "hyperparameters");
  json wide = {{"type", "double"}, {"minval", 0}, {"maxval", 1}, {"count", 9000000000000000000}};
  EXPECT_FALSE(grid_of({{"a", wide}}));
  json all = {{"type", "int"}, {"minval", -9000000000000000000}, {"maxval", 9000000000000000000}, {"count", 3}};
  EXPECT_EQ(grid_of({{"a", all}}).value().size(), 3);
}

TEST(Grid, AsksForCounts) {
  const auto refused = grid_of({{"o", {{"lr", {{"type", "double"}, {"minval", 0}, {"maxval", 1}}}}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field, "hyperparameters.o.lr");
  EXPECT_EQ(refused.error().message, "grid search is in use but count was not provided");
}

}  // namespace
}  // namespace det::searcher
