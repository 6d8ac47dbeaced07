#include "accept/lay_over.h"

#include <gtest/gtest.h>

#include "base/json_get.h"

namespace det::accept {
namespace {

using nlohmann::json;

TEST(LayOver, MergesMapsAndReplacesWhatIsOneValue) {
  const json base = {{"a", {{"b", 1}, {"c", 2}}},
                     {"list", {1, 2}},
                     {"max_length", {{"batches", 5}}},
                     {"hyperparameters", {{"lr", {{"type", "const"}, {"val", 1}}}}}};
  const json over = {{"a", {{"b", 3}, {"c", nullptr}}},
                     {"list", {7}},
                     {"max_length", {{"epochs", 2}}},
                     {"hyperparameters", {{"lr", {{"type", "int"}, {"minval", 1}}}}}};
  const json expected = {{"a", {{"b", 3}, {"c", 2}}},
                         {"list", {7}},
                         {"max_length", {{"epochs", 2}}},
                         {"hyperparameters", {{"lr", {{"type", "int"}, {"minval", 1}}}}}};
  EXPECT_EQ(lay_over(base, over), expected);
}

TEST(LayOver, TakesTheOldWordForCudaAsTheNewerValue) {
  const json base = {{"environment", {{"image", {{"cpu", "a"}, {"cuda", "b"}}}}}};
  const json over = {{"environment", {{"image", {{"gpu", "c"}}}}}};
  EXPECT_EQ(lay_over(base, over), json({{"environment", {{"image", {{"cpu", "a"}, {"gpu", "c"}}}}}}));
  const json both = {{"environment", {{"image", {{"gpu", "c"}, {"cuda", "d"}}}}}};
  EXPECT_EQ(get_any(lay_over(base, both).at("environment").at("image"), "cuda"), "d");
}

}  // namespace
}  // namespace det::accept
