#pragma once

// What a search would train, without training: how many trials, and how far each (`det preview-search`). Pure.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/expconf/experiment_config.h"

namespace det::searcher {

struct TrialGroup {
  std::int64_t count = 0;         // may be 0
  bool is_to_completion = false;  // trains as far as its code goes; then there is no unit
  std::string unit;               // the searcher's time metric, "batches"
  std::int64_t units = 0;         // in all, per trial

  bool operator==(const TrialGroup&) const = default;
};

// The groups of `config`'s search, shortest training first. For adaptive_asha it is what the brackets stop at each rung
// when every rung keeps its share; equal to Determined's preview. `hyperparameters`: the normalised section. The seed
// has no say: which trials there are does not change how many. kInvalidArgument `invalid searcher configuration` for
// async_halving, which Determined does not preview, and, with the field, for what make_search refuses.
[[nodiscard]] Result<std::vector<TrialGroup>> simulate(const model::SearcherConfig& config,
                                                       const nlohmann::json& hyperparameters, std::uint32_t seed);

// [{"count": n, "unit": {"name": "batches", "value": 100, "maxLength": false}}], as the REST protocol has it.
[[nodiscard]] nlohmann::json to_json(const std::vector<TrialGroup>& groups);

}  // namespace det::searcher
