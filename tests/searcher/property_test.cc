// What must hold of every search, whatever its trials do.

#include <random>

#include <gtest/gtest.h>

#include "model/expconf/hyperparameters.h"
#include "tests/searcher/world.h"

namespace det::searcher {
namespace {

using nlohmann::json;

json space_of_any() {
  json space = json::parse(R"({"a": {"type": "int", "minval": 0, "maxval": 9, "count": 4}, "k": 5,
      "o": {"lr": {"type": "log", "base": 10, "minval": -4, "maxval": -1, "count": 3}}})");
  model::normalise_hyperparameters(space);
  return space;
}

// Some configuration of the searcher `name`.
WorldSettings settings_of(const std::string& name, Generation generation, std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  const double divisors[] = {2, 3, 4, 2.5};
  WorldSettings settings;
  settings.seed = static_cast<std::uint32_t>(random());
  settings.space = space_of_any();
  settings.generation = generation;
  settings.config = {.name = name,
                     .metric = "loss",
                     .smaller_is_better = below(2) == 0,
                     .max_trials = 1 + below(10),
                     .max_concurrent_trials = below(6),
                     .num_rungs = 1 + below(4),
                     .divisor = divisors[below(4)],
                     .mode = static_cast<model::AdaptiveMode>(below(3)),
                     .max_rungs = 1 + below(5),
                     .time_metric = "batches",
                     .max_time = 1 + below(90),
                     .max_length = model::TrainingLength{1 + below(90), "batches"},
                     .stop_once = below(2) == 0};
  if (below(3) == 0) settings.config.bracket_rungs = {1 + below(3), 1 + below(3)};
  return settings;
}

class EverySearch : public testing::TestWithParam<std::pair<const char*, Generation>> {};

TEST_P(EverySearch, EndsKeepsItsBoundsAndDecidesTheSameWhenItIsRestored) {
  const auto [name, generation] = GetParam();
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    const WorldSettings settings = settings_of(name, generation, random);
    World world(settings, [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); });
    ASSERT_EQ(world.run(), "") << "seed " << seed;
    EXPECT_GE(world.created(), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Methods, EverySearch,
    testing::Values(std::pair{"single", Generation::kCurrent}, std::pair{"random", Generation::kCurrent},
                    std::pair{"grid", Generation::kCurrent}, std::pair{"async_halving", Generation::kCurrent},
                    std::pair{"adaptive_asha", Generation::kCurrent}, std::pair{"single", Generation::kOperations},
                    std::pair{"random", Generation::kOperations}, std::pair{"grid", Generation::kOperations},
                    std::pair{"async_halving", Generation::kOperations},
                    std::pair{"adaptive_asha", Generation::kOperations}),
    [](const auto& info) {
      return std::string(info.param.first) + (info.param.second == Generation::kCurrent ? "" : "_by_operations");
    });

}  // namespace
}  // namespace det::searcher
