#include "operator/experiment/accepted_configs.h"

#include <gtest/gtest.h>

namespace det::op {
namespace {

using nlohmann::json;

store::ExperimentRow experiment(std::int64_t id, std::string text) {
  store::ExperimentRow row;
  row.id = {id};
  row.original_config = std::move(text);
  return row;
}

TEST(AcceptedConfigs, AreReadOnceForEachText) {
  AcceptedConfigs configs;
  const auto first = configs.of(experiment(1, "name: a\n"));
  EXPECT_EQ(*first, json({{"name", "a"}}));
  EXPECT_EQ(configs.of(experiment(1, "name: a\n")), first);
  EXPECT_NE(configs.of(experiment(2, "name: a\n")), first);
  // Continued.
  EXPECT_EQ(*configs.of(experiment(1, R"({"name": "b"})")), json({{"name", "b"}}));
  EXPECT_EQ(*first, json({{"name", "a"}}));
}

TEST(AcceptedConfigs, AreNullWhereTheTextCannotBeRead) {
  AcceptedConfigs configs;
  EXPECT_TRUE(configs.of(experiment(1, "a: ["))->is_null());
}

}  // namespace
}  // namespace det::op
