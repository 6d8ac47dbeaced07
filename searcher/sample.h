#pragma once

// Drawing what makes a trial: its hyperparameters, its request id and its seed, in upstream's order of draws. Pure but
// for the generator that is passed in.

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "searcher/prng.h"
#include "searcher/request_id.h"

namespace det::searcher {

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
