#include "searcher/prng.h"

#include <bit>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/json_reader.h"

namespace det::searcher {
namespace {

using nlohmann::json;

constexpr std::size_t kWords = 624;
constexpr std::size_t kOffset = 397;
constexpr std::uint32_t kUpper = 0x80000000U;
constexpr std::uint32_t kLower = 0x7fffffffU;
constexpr std::uint32_t kMatrix = 0x9908b0dfU;

}  // namespace

Prng::Prng(std::uint32_t seed) : position_(kWords) {
  std::uint32_t word = seed;
  for (std::size_t i = 0; i < kWords; ++i) {
    key_[i] = word;
    word = 1812433253U * (word ^ (word >> 30U)) + static_cast<std::uint32_t>(i) + 1U;
  }
}

Result<Prng> Prng::from_json(const json& state) {
  const auto refuse = [] {
    return fail(ErrorCode::kDataLoss, "the generator's state is not 624 words and a position");
  };
  if (!state.is_object() || !state.contains("key") || !state.contains("pos")) return refuse();
  const json& key = state.at("key");
  const auto position = whole_number(state.at("pos"));
  if (!key.is_array() || key.size() != kWords || !position || *position < 0 || *position > 624) return refuse();
  Prng prng;
  for (std::size_t i = 0; i < kWords; ++i) {
    const auto word = whole_number(key[i]);
    if (!word || *word < 0 || *word > 0xffffffff) return refuse();
    prng.key_[i] = static_cast<std::uint32_t>(*word);
  }
  prng.position_ = static_cast<std::size_t>(*position);
  return prng;
}

json Prng::to_json() const {
  return {{"key", key_}, {"pos", position_}};
}

void Prng::twist() {
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t mixed = (key_[i] & kUpper) | (key_[(i + 1) % kWords] & kLower);
    key_[i] = key_[(i + kOffset) % kWords] ^ (mixed >> 1U) ^ ((mixed & 1U) != 0 ? kMatrix : 0U);
  }
  position_ = 0;
}

std::uint32_t Prng::bits32() {
  if (position_ == kWords) twist();
  std::uint32_t word = key_[position_++];
  word ^= word >> 11U;
  word ^= (word << 7U) & 0x9d2c5680U;
  word ^= (word << 15U) & 0xefc60000U;
  return word ^ (word >> 18U);
}

std::uint64_t Prng::bits64() {
  const std::uint64_t high = bits32();
  return high << 32U | bits32();
}

std::uint64_t Prng::up_to(std::uint64_t limit) {
  if (limit == 0) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> static_cast<unsigned>(std::countl_zero(limit));
  while (true) {
    const std::uint64_t value = (limit <= 0xffffffffU ? bits32() : bits64()) & mask;
    if (value <= limit) return value;
  }
}

std::int64_t Prng::below(std::int64_t n) {
  DET_CHECK(n >= 0, "a range of negative length has no members");
  return static_cast<std::int64_t>(up_to(static_cast<std::uint64_t>(n) - 1));
}

std::int64_t Prng::between(std::int64_t low, std::int64_t high) {
  DET_CHECK(low < high, "an empty range has no members");
  const std::uint64_t limit = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) - 1;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + up_to(limit));
}

double Prng::unit_interval() {
  const std::uint32_t high = bits32() >> 5U;
  const std::uint32_t low = bits32() >> 6U;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double Prng::uniform(double low, double high) {
  DET_CHECK(low < high, "an empty range has no members");
  return low + (high - low) * unit_interval();
}

std::string Prng::read(std::size_t count) {
  std::string bytes;
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    word = i % 4 == 0 ? bits32() : word >> 8U;
    bytes.push_back(static_cast<char>(word & 0xffU));
  }
  return bytes;
}

}  // namespace det::searcher
