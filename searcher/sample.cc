#include "searcher/sample.h"

#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/json_reader.h"
#include "model/hyperparameters.h"
#include "searcher/go_math.h"

namespace det::searcher {
namespace {

using nlohmann::json;

std::int64_t whole_at(const json& range, const char* name) {
  const auto number = whole_number(range.at(name));
  DET_CHECK(number.has_value(), "the configuration was checked");
  return *number;
}

}  // namespace

HparamSpace::HparamSpace(const json& space) {
  using Kind = model::HyperparameterKind;
  for (const auto& [name, parameter] : space.items()) {
    Parameter read{.name = name, .kind = model::kind_of_hyperparameter(parameter)};
    if (read.kind == Kind::kConst) read.values = {parameter.at("val")};
    if (read.kind == Kind::kCategorical) read.values = parameter.at("vals").get<std::vector<json>>();
    if (read.kind == Kind::kNested) read.inner.emplace_back(parameter);
    if (read.kind == Kind::kInt) {
      read.first = whole_at(parameter, "minval");
      const std::int64_t last = whole_at(parameter, "maxval");
      DET_CHECK(read.first <= last, "the configuration was checked");
      read.span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(read.first);
    }
    if (read.kind == Kind::kDouble || read.kind == Kind::kLog) {
      read.low = parameter.at("minval").get<double>();
      read.high = parameter.at("maxval").get<double>();
    }
    if (read.kind == Kind::kLog) read.base = parameter.at("base").get<double>();
    parameters_.push_back(std::move(read));
  }
}

json HparamSpace::draw(const Parameter& parameter, Prng& prng) {
  switch (parameter.kind) {
    case model::HyperparameterKind::kConst:
      return parameter.values.front();
    case model::HyperparameterKind::kInt:
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(parameter.first) + prng.up_to(parameter.span));
    case model::HyperparameterKind::kDouble:
      return sampled_number(prng.uniform(parameter.low, parameter.high));
    case model::HyperparameterKind::kLog:
      return sampled_number(go_pow(parameter.base, prng.uniform(parameter.low, parameter.high)));
    case model::HyperparameterKind::kCategorical:
      return parameter.values.at(static_cast<std::size_t>(prng.below(std::ssize(parameter.values))));
    case model::HyperparameterKind::kNested:
      return parameter.inner.front().sample(prng);
  }
  return nullptr;
}

json HparamSpace::sample(Prng& prng) const {
  json::object_t sample;
  for (const Parameter& parameter : parameters_) {
    sample.emplace_hint(sample.end(), parameter.name, draw(parameter, prng));
  }
  return sample;
}

json sample_hyperparameters(const json& space, Prng& prng) {
  return HparamSpace(space).sample(prng);
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
