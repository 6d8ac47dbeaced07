#include "searcher/sample.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/encoding.h"
#include "base/json_reader.h"
#include "model/hyperparameters.h"
#include "searcher/go_math.h"

namespace det::searcher {
namespace {

using nlohmann::json;

// Whole values print without a fraction, as upstream's do.
json number(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const bool is_whole = std::trunc(value) == value && std::abs(value) <= kExact && !(value == 0 && std::signbit(value));
  return is_whole ? json(static_cast<std::int64_t>(value)) : json(value);
}

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
      return number(sample_range(parameter, prng));
    case model::HyperparameterKind::kLog:
      return number(go_pow(parameter.at("base").get<double>(), sample_range(parameter, prng)));
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

std::string draw_request_id(Prng& prng) {
  std::string bytes = prng.read(16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);
  std::string text = hex_encode(bytes);
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) text.insert(dash, 1, '-');
  return text;
}

std::uint32_t draw_trial_seed(Prng& prng) {
  return static_cast<std::uint32_t>(prng.below(std::int64_t{1} << 31U));
}

}  // namespace det::searcher
