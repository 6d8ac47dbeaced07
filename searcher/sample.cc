#include "searcher/sample.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/json_reader.h"
#include "model/expconf/hyperparameters.h"
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
    read.at = size_;
    size_ += read.size();
    parameters_.push_back(std::move(read));
  }
}

std::size_t HparamSpace::Parameter::size() const {
  if (kind == model::HyperparameterKind::kNested) return inner.front().size();
  return kind == model::HyperparameterKind::kConst ? 0 : 1;
}

void HparamSpace::Parameter::draw(Prng& prng, std::span<Drawn> values_drawn) const {
  switch (kind) {
    case model::HyperparameterKind::kConst:
      return;
    case model::HyperparameterKind::kInt:
      values_drawn[at] = static_cast<std::uint64_t>(first) + prng.up_to(span);
      return;
    case model::HyperparameterKind::kDouble:
      values_drawn[at] = std::bit_cast<Drawn>(prng.uniform(low, high));
      return;
    case model::HyperparameterKind::kLog:
      values_drawn[at] = std::bit_cast<Drawn>(go_pow(base, prng.uniform(low, high)));
      return;
    case model::HyperparameterKind::kCategorical:
      values_drawn[at] = static_cast<Drawn>(prng.below(std::ssize(values)));
      return;
    case model::HyperparameterKind::kNested:
      inner.front().draw(prng, values_drawn.subspan(at));
      return;
  }
}

json HparamSpace::Parameter::json_of(std::span<const Drawn> values_drawn) const {
  switch (kind) {
    case model::HyperparameterKind::kConst:
      return values.front();
    case model::HyperparameterKind::kInt:
      return static_cast<std::int64_t>(values_drawn[at]);
    case model::HyperparameterKind::kDouble:
    case model::HyperparameterKind::kLog:
      return sampled_number(std::bit_cast<double>(values_drawn[at]));
    case model::HyperparameterKind::kCategorical:
      return values.at(values_drawn[at]);
    case model::HyperparameterKind::kNested:
      return inner.front().json_of(values_drawn.subspan(at));
  }
  return nullptr;
}

void HparamSpace::draw(Prng& prng, std::span<Drawn> values) const {
  for (const Parameter& parameter : parameters_) parameter.draw(prng, values);
}

json HparamSpace::json_of(std::span<const Drawn> values) const {
  json::object_t object;
  for (const Parameter& parameter : parameters_) {
    object.emplace_hint(object.end(), parameter.name, parameter.json_of(values));
  }
  return object;
}

json HparamSpace::json_of(std::span<const Drawn> values, std::string_view name) const {
  const auto found = std::ranges::find(parameters_, name, &Parameter::name);
  return found == parameters_.end() ? json() : found->json_of(values);
}

Hparams::Hparams(std::shared_ptr<const HparamSpace> space, Prng& prng)
    : space_(std::move(space)), drawn_(space_->size()) {
  space_->draw(prng, drawn_);
}

Hparams::Hparams(std::shared_ptr<const GridPoints> grid, std::int64_t point) : grid_(std::move(grid)), point_(point) {}

json Hparams::json() const {
  if (space_ != nullptr) return space_->json_of(drawn_);
  if (grid_ != nullptr) return grid_->at(point_);
  return given_.is_null() ? nlohmann::json::object() : given_;
}

json Hparams::at(std::string_view name) const {
  return space_ != nullptr ? space_->json_of(drawn_, name) : json().value(std::string(name), nlohmann::json());
}

json sample_hyperparameters(const json& space, Prng& prng) {
  return Hparams(std::make_shared<const HparamSpace>(space), prng).json();
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
