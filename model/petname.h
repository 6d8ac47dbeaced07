#pragma once

// Names for experiments and tasks that were given none. Pure.

#include <cstdint>
#include <string>

namespace det::model {

// "quietly-amber-heron"; the same seed gives the same name.
[[nodiscard]] std::string petname(std::uint64_t seed);
// "Experiment (quietly-amber-heron)".
[[nodiscard]] std::string random_experiment_name(std::uint64_t seed);

}  // namespace det::model
