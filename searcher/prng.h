#pragma once

// The generator that every search draws from: MT19937 as NumPy's legacy RandomState seeds and reads it, so that a seed
// gives the same trials as with Determined. One per experiment, never reseeded; a value with state, not shared between
// threads.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace det::searcher {

class Prng {
 public:
  explicit Prng(std::uint32_t seed);
  // {"key": [624 words], "pos": n}, as in upstream's snapshots. kDataLoss for anything else.
  [[nodiscard]] static Result<Prng> from_json(const nlohmann::json& state);
  [[nodiscard]] nlohmann::json to_json() const;

  std::uint32_t bits32();
  std::uint64_t bits64();
  // Uniform in [0, limit], both included. Draws nothing for 0, one 32-bit word a try up to 2^32-1, two above.
  std::uint64_t up_to(std::uint64_t limit);
  // Uniform in [0, n); n >= 0, where 0 stands for 2^64 (its result wraps into the sign).
  std::int64_t below(std::int64_t n);
  // Uniform in [low, high); low < high.
  std::int64_t between(std::int64_t low, std::int64_t high);
  // Uniform in [0, 1) with 53 bits.
  double unit_interval();
  // low + (high - low) * unit_interval(); low < high.
  double uniform(double low, double high);
  // `count` bytes, little-endian words; what is left of the last word is lost.
  std::string read(std::size_t count);

  bool operator==(const Prng&) const = default;

 private:
  Prng() = default;
  void twist();

  std::array<std::uint32_t, 624> key_{};
  std::size_t position_ = 0;
};

}  // namespace det::searcher
