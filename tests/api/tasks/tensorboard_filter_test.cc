// A TensorBoard of all experiments that match a filter.

#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

struct FilteredTensorBoard : ApiTest {
  Answer start(const json& asked) { return post("/api/v1/tensorboards", asked); }
  json shown(const json& asked) {
    const Answer made = start(asked);
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body()["tensorboard"]["experimentIds"];
  }
};

TEST_F(FilteredTensorBoard, ShowsWhatMatches) {
  const std::int64_t first = create();
  const std::int64_t second = create();
  const std::int64_t third = create();
  sql("UPDATE experiments SET archived = true, state = 'COMPLETED' WHERE id = " + std::to_string(third) +
      " RETURNING id");
  EXPECT_EQ(shown({{"filters", {{"archived", true}}}}), json({third}));
  EXPECT_EQ(shown({{"experimentIds", {first}}, {"filters", {{"archived", true}}}}), json({third}))
      << "the filter counts where both are given";
  EXPECT_EQ(shown({{"filters", {{"archived", false}, {"excludedExperimentIds", {second}}}}}), json({first}));
  EXPECT_EQ(shown({{"filters", {{"archived", false}}}}).size(), 2U);
}

TEST_F(FilteredTensorBoard, SaysThatNothingMatches) {
  create();
  EXPECT_EQ(start({{"filters", {{"name", "nobody"}}}}).error(),
            "filters: no experiment that you may look at matches them");
  EXPECT_EQ(start({{"filters", 5}}).error(), "filters: expected an object, got 5");
  EXPECT_EQ(start({{"filters", {{"states", {"OVER"}}}}}).error(),
            "filters.states: 'OVER' is not a state like STATE_COMPLETED");
  EXPECT_EQ(sql("SELECT count(*) FROM standalone_tasks"), "0");
}

}  // namespace
}  // namespace det::api
