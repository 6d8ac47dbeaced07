// libFuzzer: a search and a world of trials, both from bytes. A broken rule is a crash.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "model/expconf/hyperparameters.h"
#include "tests/searcher/world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace det::searcher;
  std::size_t at = 0;
  // Zeros when the bytes have run out: the world then goes on, and must come to an end.
  const auto next = [&]() -> std::uint32_t { return at < size ? data[at++] : 0; };
  const auto choose = [&](std::uint32_t n) { return n <= 1 ? 0 : next() % n; };
  const char* names[] = {"single", "random", "grid", "async_halving", "adaptive_asha"};
  const double divisors[] = {2, 3, 4, 2.5, 1.5};
  WorldSettings settings;
  settings.generation = choose(2) == 0 ? Generation::kCurrent : Generation::kOperations;
  settings.config = {.name = names[choose(5)],
                     .metric = "loss",
                     .smaller_is_better = choose(2) == 0,
                     .max_trials = 1 + choose(20),
                     .max_concurrent_trials = choose(6),
                     .num_rungs = 1 + choose(5),
                     .divisor = divisors[choose(5)],
                     .mode = static_cast<det::model::AdaptiveMode>(choose(3)),
                     .max_rungs = 1 + choose(5),
                     .time_metric = "batches",
                     .max_time = 1 + choose(200),
                     .stop_once = choose(2) == 0};
  settings.config.max_length = det::model::TrainingLength{*settings.config.max_time, "batches"};
  if (choose(3) == 0) settings.config.bracket_rungs = {1 + choose(4), 1 + choose(4)};
  settings.space = nlohmann::json::parse(R"({"a": {"type": "int", "minval": 0, "maxval": 9, "count": 3}, "k": 5})");
  det::model::normalise_hyperparameters(settings.space);
  settings.seed = next();
  settings.most_failures = choose(30);
  settings.restore_every = 32;
  const std::string problem = World(settings, choose).run();
  if (problem.empty()) return 0;
  std::fprintf(stderr, "%s\n", problem.c_str());
  std::abort();
}
