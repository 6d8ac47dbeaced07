#pragma once

// Where people see what there is, when what they named is not. Pure; any thread.

#include <string>
#include <string_view>

namespace det::cli {

// "; 'det experiment list' shows those that there are" for "experiment '999' not found", as masters say it of what has
// a list; empty for every other text.
[[nodiscard]] std::string listing_hint(std::string_view message);

}  // namespace det::cli
