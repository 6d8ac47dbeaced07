#pragma once

// Worlds in which one thing is broken on purpose, and what must be said of each: an invariant that notices nothing
// proves nothing.

#include <string>
#include <vector>

#include "tests/simulation/scenario.h"

namespace det::simulation {

struct Sabotage {
  std::string name;
  Scenario scenario;
  std::string noticed;  // part of the words of some violation
};

[[nodiscard]] std::vector<Sabotage> sabotages();

}  // namespace det::simulation
