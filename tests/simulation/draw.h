#pragma once

// What chance decides in a simulated world, drawn from a seed: the same seed draws the same.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>

namespace det::simulation {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : source_(seed) {}

  // 0 .. n-1. Not std::uniform_int_distribution, which may differ between libraries.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(source_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::chrono::milliseconds between(std::chrono::milliseconds least, std::chrono::milliseconds most) {
    const auto span = static_cast<std::size_t>((most - least).count()) + 1;
    return least + std::chrono::milliseconds(below(span));
  }

 private:
  std::mt19937_64 source_;
};

}  // namespace det::simulation
