#include "base/few_names.h"

#include <vector>

#include <gtest/gtest.h>

namespace det {
namespace {

TEST(FewNames, AreFollowedByHowManyMoreThereAre) {
  const auto named = [](int one) { return "t" + std::to_string(one); };
  EXPECT_EQ(few_names(std::vector<int>(), 2, named), "");
  EXPECT_EQ(few_names(std::vector{1, 2}, 2, named), "t1, t2");
  EXPECT_EQ(few_names(std::vector{1, 2, 3, 4}, 2, named), "t1, t2 and 2 more");
}

}  // namespace
}  // namespace det
