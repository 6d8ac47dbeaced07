#pragma once

#include <nlohmann/json.hpp>

namespace det::accept {

// `over` laid over `base`, as an override is over the configuration of an experiment that is continued: maps are
// merged, everything else is replaced, nulls say nothing. A length ({batches: n}) and a typed hyperparameter are one
// value. Pure.
[[nodiscard]] nlohmann::json lay_over(nlohmann::json base, const nlohmann::json& over);

}  // namespace det::accept
