#include "searcher/sample.h"

#include <array>
#include <bit>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/json_reader.h"
#include "model/hyperparameters.h"
#include "searcher/go_math.h"

namespace det::searcher {
namespace {

using nlohmann::json;

json sample_int(const json& range, Prng& prng) {
  const auto low = whole_number(range.at("minval"));
  const auto high = whole_number(range.at("maxval"));
  DET_CHECK(low && high && *low <= *high, "the configuration was checked");
  const std::uint64_t span = static_cast<std::uint64_t>(*high) - static_cast<std::uint64_t>(*low);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(*low) + prng.up_to(span));
}

double sample_range(const json& range, Prng& prng) {
  return prng.uniform(range.at("minval").get<double>(), range.at("maxval").get<double>());
}

json sample_one(const json& parameter, Prng& prng) {
  switch (model::kind_of_hyperparameter(parameter)) {
    case model::HyperparameterKind::kConst:
      return parameter.at("val");
    case model::HyperparameterKind::kInt:
      return sample_int(parameter, prng);
    case model::HyperparameterKind::kDouble:
      return sampled_number(sample_range(parameter, prng));
    case model::HyperparameterKind::kLog:
      return sampled_number(go_pow(parameter.at("base").get<double>(), sample_range(parameter, prng)));
    case model::HyperparameterKind::kCategorical: {
      const json& values = parameter.at("vals");
      return values.at(static_cast<std::size_t>(prng.below(static_cast<std::int64_t>(values.size()))));
    }
    case model::HyperparameterKind::kNested:
      return sample_hyperparameters(parameter, prng);
  }
  return nullptr;
}

}  // namespace

json sample_hyperparameters(const json& space, Prng& prng) {
  json sample = json::object();
  for (const auto& [name, parameter] : space.items()) sample[name] = sample_one(parameter, prng);
  return sample;
}

RequestId draw_request_id(Prng& prng) {
  // The bytes are those of four successive words, each least significant first.
  std::array<std::uint64_t, 4> words{};
  for (std::uint64_t& word : words) word = std::byteswap(prng.bits32());
  constexpr std::uint64_t kVersion = 0x4000U;
  constexpr std::uint64_t kVariant = 0x8000000000000000U;
  return {.high = ((words[0] << 32U | words[1]) & ~std::uint64_t{0xf000U}) | kVersion,
          .low = ((words[2] << 32U | words[3]) & ~(std::uint64_t{0xc0} << 56U)) | kVariant};
}

std::uint32_t draw_trial_seed(Prng& prng) {
  return static_cast<std::uint32_t>(prng.below(std::int64_t{1} << 31U));
}

json sampled_number(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const bool is_whole = std::trunc(value) == value && std::abs(value) <= kExact && !(value == 0 && std::signbit(value));
  return is_whole ? json(static_cast<std::int64_t>(value)) : json(value);
}

}  // namespace det::searcher
