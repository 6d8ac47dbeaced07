#include "model/petname.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace det::model {
namespace {

TEST(ExperimentName, IsThreeWordsThatDependOnTheSeed) {
  std::set<std::string> names;
  for (std::uint64_t seed = 0; seed < 200; ++seed) names.insert(random_experiment_name(seed));
  EXPECT_GT(names.size(), 190U);
  EXPECT_EQ(random_experiment_name(7), random_experiment_name(7));
  EXPECT_EQ(random_experiment_name(7), "Experiment (" + petname(7) + ")");
  const std::string name = *names.begin();
  EXPECT_TRUE(name.starts_with("Experiment (") && name.ends_with(")")) << name;
  EXPECT_EQ(std::count(name.begin(), name.end(), '-'), 2) << name;
}

}  // namespace
}  // namespace det::model
