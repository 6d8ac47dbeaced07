#pragma once

// How many trials a search would run for how long if no trial surprised it: what `det preview-search` shows. Pure.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace det::searcher {

struct PreviewedTrials {
  std::int64_t count = 0;
  bool to_completion = false;
  std::string unit;         // name of the time metric; empty for trials that run to completion
  std::int64_t length = 0;  // in that unit

  bool operator==(const PreviewedTrials&) const = default;
};

// `searcher` and `hyperparameters`: the sections of an accepted configuration. Ordered by length. kInvalidArgument for
// a method that has no preview.
[[nodiscard]] Result<std::vector<PreviewedTrials>> preview_search(const nlohmann::json& searcher,
                                                                  const nlohmann::json& hyperparameters);

}  // namespace det::searcher
