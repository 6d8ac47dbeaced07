#pragma once

// Drawing what makes a trial: its hyperparameters, its request id and its seed, in upstream's order of draws. Pure but
// for the generator that is passed in.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/expconf/hyperparameters.h"
#include "searcher/grid_points.h"
#include "searcher/prng.h"
#include "searcher/request_id.h"

namespace det::searcher {

// The hyperparameters of a search, read once so that drawing is quick. A value.
class HparamSpace {
 public:
  // One that was drawn: an integer, the bits of a double, or which of the choices.
  using Drawn = std::uint64_t;

  // `space`: a normalised hyperparameter section (model/expconf/hyperparameters.h).
  explicit HparamSpace(const nlohmann::json& space);

  // How many values there are to draw: one for every name but constants.
  [[nodiscard]] std::size_t size() const { return size_; }
  // Names are visited in byte order, in nested maps too: upstream visits those in random order, so this is one of the
  // results it could have. `values` has room for size().
  void draw(Prng& prng, std::span<Drawn> values) const;
  // What was drawn: an object with every name, or the value of one name (null when there is no such name).
  [[nodiscard]] nlohmann::json json_of(std::span<const Drawn> values) const;
  [[nodiscard]] nlohmann::json json_of(std::span<const Drawn> values, std::string_view name) const;

 private:
  struct Parameter {
    std::string name;
    model::HyperparameterKind kind = model::HyperparameterKind::kConst;
    std::size_t at = 0;                       // where its values begin
    std::vector<nlohmann::json> values = {};  // kConst: one; kCategorical: the choices
    std::int64_t first = 0;                   // kInt
    std::uint64_t span = 0;                   // kInt: how far the last is from the first
    double low = 0;                           // kDouble, kLog
    double high = 0;
    double base = 0;                      // kLog
    std::vector<HparamSpace> inner = {};  // kNested: one

    [[nodiscard]] std::size_t size() const;
    void draw(Prng& prng, std::span<Drawn> values) const;
    [[nodiscard]] nlohmann::json json_of(std::span<const Drawn> values) const;
  };

  std::vector<Parameter> parameters_;  // by name
  std::size_t size_ = 0;
};

// The hyperparameters of one trial: given as JSON, drawn, or a point of a grid. The latter two become JSON when
// somebody asks: a search may begin with a million trials. A value.
class Hparams {
 public:
  Hparams() = default;                                            // none
  Hparams(nlohmann::json given) : given_(std::move(given)) {}     // NOLINT(google-explicit-constructor)
  Hparams(std::shared_ptr<const HparamSpace> space, Prng& prng);  // drawn
  Hparams(std::shared_ptr<const GridPoints> grid, std::int64_t point);

  [[nodiscard]] nlohmann::json json() const;
  // The value of one name; null when there is no such name.
  [[nodiscard]] nlohmann::json at(std::string_view name) const;
  bool operator==(const Hparams& other) const { return json() == other.json(); }

 private:
  nlohmann::json given_;                      // null when they were drawn, are a point, or none
  std::shared_ptr<const HparamSpace> space_;  // null unless they were drawn
  std::shared_ptr<const GridPoints> grid_;    // null unless they are a point
  std::int64_t point_ = 0;
  std::vector<HparamSpace::Drawn> drawn_;
};

// One value for every name of `space`, a normalised hyperparameter section, drawn as HparamSpace does.
[[nodiscard]] nlohmann::json sample_hyperparameters(const nlohmann::json& space, Prng& prng);

// A version 4 UUID from 16 bytes of the generator.
[[nodiscard]] RequestId draw_request_id(Prng& prng);

// Below 2^31.
[[nodiscard]] std::uint32_t draw_trial_seed(Prng& prng);

// A sampled number as JSON: whole values print without a fraction, as upstream's do.
[[nodiscard]] nlohmann::json sampled_number(double value);

}  // namespace det::searcher
