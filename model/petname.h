#pragma once

// Names for experiments that were given none. Pure.

#include <cstdint>
#include <string>

namespace det::model {

// "Experiment (quietly-amber-heron)"; the same seed gives the same name.
[[nodiscard]] std::string random_experiment_name(std::uint64_t seed);

}  // namespace det::model
