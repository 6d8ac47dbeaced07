#include "model/metrics/downsample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace det::model {
namespace {

struct Series {
  std::vector<double> x, y;

  [[nodiscard]] std::vector<std::size_t> pick(std::size_t most) const { return pick_points(x, y, most); }
};

Series noise(std::size_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Series made;
  for (std::size_t i = 0; i < size; ++i) {
    made.x.push_back(static_cast<double>(i));
    made.y.push_back(std::sin(static_cast<double>(i) / 50) + normal(random) / 10);
  }
  return made;
}

bool has(const std::vector<std::size_t>& picked, std::size_t i) {
  return std::ranges::binary_search(picked, i);
}

TEST(Downsample, KeepsAShortSeriesWhole) {
  EXPECT_EQ(noise(5).pick(5), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(noise(0).pick(10).empty());
  EXPECT_TRUE(noise(3).pick(0).empty());
}

TEST(Downsample, GivesNoMoreThanAskedForInOrderAndWithItsEndsAndExtremes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Series series = noise(1'000 + 137 * seed, seed);
    for (const std::size_t most : {2, 3, 4, 5, 15, 16, 17, 100, 999}) {
      const auto picked = series.pick(most);
      ASSERT_LE(picked.size(), most) << seed;
      EXPECT_TRUE(std::ranges::is_sorted(picked));
      EXPECT_EQ(std::ranges::adjacent_find(picked), picked.end());
      EXPECT_EQ(picked.front(), 0U);
      EXPECT_EQ(picked.back(), series.y.size() - 1);
      if (most < 4) continue;
      EXPECT_TRUE(has(picked, static_cast<std::size_t>(std::ranges::min_element(series.y) - series.y.begin())));
      EXPECT_TRUE(has(picked, static_cast<std::size_t>(std::ranges::max_element(series.y) - series.y.begin())));
      EXPECT_GE(picked.size(), most * 9 / 10) << "it uses what it may";
    }
  }
}

TEST(Downsample, KeepsBothSidesOfAHole) {
  Series series = noise(2'000);
  for (std::size_t i = 700; i < series.x.size(); ++i) series.x[i] += 5'000;
  const auto picked = series.pick(50);
  EXPECT_TRUE(has(picked, 699));
  EXPECT_TRUE(has(picked, 700));
}

TEST(Downsample, ShowsWhereValuesAreNoNumbers) {
  Series series = noise(2'000);
  for (std::size_t i = 300; i < 400; ++i) series.y[i] = std::numeric_limits<double>::quiet_NaN();
  series.y[1'500] = std::numeric_limits<double>::infinity();
  const auto picked = series.pick(50);
  EXPECT_TRUE(has(picked, 300));
  EXPECT_TRUE(has(picked, 1'500));
  EXPECT_LE(picked.size(), 50U);
  for (double& value : series.y) value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(series.pick(50).front(), 0U);
}

TEST(Downsample, TakesSeriesThatDoNotMove) {
  Series series = noise(1'000);
  std::ranges::fill(series.y, 1.0);
  std::ranges::fill(series.x, 3.0);
  const auto picked = series.pick(20);
  EXPECT_LE(picked.size(), 20U);
  EXPECT_EQ(picked.back(), 999U);
}

}  // namespace
}  // namespace det::model
