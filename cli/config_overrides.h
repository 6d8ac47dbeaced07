#pragma once

// `--config key.path=value`: changes of a configuration from the command line. Pure.

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/text.h"

namespace det::cli {

// Applies each "a.b=value" in turn: objects are merged, everything else is replaced. A value is YAML; one that starts
// with [ or { is read whole, another with commas becomes a list. kInvalidArgument names the option.
[[nodiscard]] Result<Json> with_overrides(Json config, const std::vector<std::string>& overrides);

}  // namespace det::cli
