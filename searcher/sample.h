#pragma once

// Drawing what makes a trial: its hyperparameters, its request id and its seed, in upstream's order of draws. Pure but
// for the generator that is passed in.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/hyperparameters.h"
#include "searcher/prng.h"
#include "searcher/request_id.h"

namespace det::searcher {

// The hyperparameters of a search, read once so that drawing is quick. A value.
class HparamSpace {
 public:
  // `space`: a normalised hyperparameter section (model/hyperparameters.h).
  explicit HparamSpace(const nlohmann::json& space);
  // One value for every name, as sample_hyperparameters draws them.
  [[nodiscard]] nlohmann::json sample(Prng& prng) const;

 private:
  struct Parameter {
    std::string name;
    model::HyperparameterKind kind = model::HyperparameterKind::kConst;
    std::vector<nlohmann::json> values = {};  // kConst: one; kCategorical: the choices
    std::int64_t first = 0;                   // kInt
    std::uint64_t span = 0;                   // kInt: how far the last is from the first
    double low = 0;                           // kDouble, kLog
    double high = 0;
    double base = 0;                      // kLog
    std::vector<HparamSpace> inner = {};  // kNested: one
  };
  [[nodiscard]] static nlohmann::json draw(const Parameter& parameter, Prng& prng);

  std::vector<Parameter> parameters_;  // by name
};

// One value for every name of `space`, a normalised hyperparameter section (model/hyperparameters.h). Names are visited
// in byte order, in nested maps too: upstream visits those in random order, so this is one of the results it could
// have.
[[nodiscard]] nlohmann::json sample_hyperparameters(const nlohmann::json& space, Prng& prng);

// A version 4 UUID from 16 bytes of the generator.
[[nodiscard]] RequestId draw_request_id(Prng& prng);

// Below 2^31.
[[nodiscard]] std::uint32_t draw_trial_seed(Prng& prng);

// A sampled number as JSON: whole values print without a fraction, as upstream's do.
[[nodiscard]] nlohmann::json sampled_number(double value);

}  // namespace det::searcher
