#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/in_a_world.h"

namespace det::op {
namespace {

using nlohmann::json;
using simulation::World;
using ::testing::HasSubstr;

using ForbiddenTrialsInAWorld = test::InAWorld;

TEST_F(ForbiddenTrialsInAWorld, ComeSoonAfterTheyAreAllowed) {
  bool is_forbidden = true;
  int refused = 0;
  json told;
  std::size_t made = 0;
  const auto act = [&](World& world) -> Task<void> {
    world.server().refuse_with(
        [&](const std::string& collection, const json&) -> std::optional<det::test::StoreAnswer> {
          if (!is_forbidden || !collection.ends_with("/trials")) return std::nullopt;
          ++refused;
          return det::test::refusal(403, "Forbidden", "exceeded quota: objects");
        });
    co_await world.sleep(std::chrono::minutes(5));
    refused = 0;
    co_await world.sleep(std::chrono::minutes(5));
    told = condition(k8s::experiments(), "exp", "Stalled");
    is_forbidden = false;
    co_await world.sleep(std::chrono::seconds(35));
    made = world.server().all(k8s::trials()).size();
  };
  play({.name = "", .about = "", .config = config(), .plan = {}, .act = act, .free = {}});
  EXPECT_EQ(told["reason"], "TrialsNotMade");
  EXPECT_THAT(get_string(told, "message"), HasSubstr("exceeded quota: objects"));
  EXPECT_GE(refused, 9);
  EXPECT_LE(refused, 11);
  EXPECT_EQ(made, 1U);
  EXPECT_EQ(value("SELECT string_agg(state, ',') FROM trials"), "COMPLETED");
}

}  // namespace
}  // namespace det::op
