#include "base/nearest_name.h"

#include <array>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/shown_value.h"

namespace det {
namespace {

constexpr auto kNames =
    std::to_array<std::string_view>({"slots_per_trial", "max_slots", "shm_size", "priority", "on", "imagePullPolicy"});

TEST(NearestName, IsTheOneThatASlipAway) {
  EXPECT_EQ(nearest_name("slots_per_trail", kNames), "slots_per_trial");
  EXPECT_EQ(nearest_name("slotsPerTrial", kNames), "slots_per_trial");
  EXPECT_EQ(nearest_name("prioriy", kNames), "priority");
  EXPECT_EQ(nearest_name("bset", std::to_array<std::string_view>({"all", "best"})), "best");
  EXPECT_EQ(nearest_name("image-pull-policy", kNames), "imagePullPolicy");
}

TEST(NearestName, IsNoneOfAnotherWordAndOfARightOne) {
  EXPECT_EQ(nearest_name("devices", kNames), "");
  EXPECT_EQ(nearest_name("priority", kNames), "");
  EXPECT_EQ(nearest_name("ab", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'x'), kNames), "");
}

TEST(ShownValue, IsShortAndNeverASecret) {
  EXPECT_EQ(shown_value("slots", 4), "4");
  EXPECT_EQ(shown_value("name", "a\x1b[31m"), R"("a\u001b[31m")");
  EXPECT_EQ(shown_value("name", std::string(500, 'x')).size(), 63u);
  EXPECT_EQ(shown_value("initial_user_password", "hunter2"), "");
  EXPECT_EQ(shown_value("secret_kye", "hunter2"), "");
  EXPECT_EQ(shown_value("a", nlohmann::json::object()), "");
}

}  // namespace
}  // namespace det
