// What a harness asks for before it saves only what is better than the best.

#include <limits>

#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

struct BestMetric : ApiTest {
  Answer best() { return get("/api/v1/experiments/1/searcher/best_searcher_validation_metric"); }
  void validate(int steps, double loss, bool smaller_is_better) {
    must(metric_writer.write(StoreTest::validation(trial, steps, loss, smaller_is_better), store::kPatience));
  }
  store::TrialRow trial = started_trial();
};

// With it, nothing would be better.
TEST_F(BestMetric, IsNoneWhileAllAreNaN) {
  EXPECT_EQ(best().status, 404);
  validate(10, std::numeric_limits<double>::quiet_NaN(), true);
  EXPECT_EQ(best().status, 404);
  validate(20, 0.5, true);
  EXPECT_EQ(best().body()["metric"], 0.5);
  validate(30, std::numeric_limits<double>::quiet_NaN(), true);
  EXPECT_EQ(best().body()["metric"], 0.5);
}

TEST_F(BestMetric, IsNoneWhileAllAreNaNWhereLargerIsBetter) {
  validate(10, std::numeric_limits<double>::quiet_NaN(), false);
  EXPECT_EQ(best().status, 404);
  validate(20, 0.5, false);
  validate(30, std::numeric_limits<double>::quiet_NaN(), false);
  EXPECT_EQ(best().body()["metric"], 0.5);
}

}  // namespace
}  // namespace det::api
