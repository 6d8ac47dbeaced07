#pragma once

// The question before what cannot be taken back. Belongs to the io thread.

#include <string>

#include "base/result.h"
#include "cli/world.h"

namespace det::cli {

// Asks until the answer is yes or no, from a pipe too; the end of input is a no. kFailedPrecondition where input ends
// that is no terminal: a script that nobody answers must not take that for success.
[[nodiscard]] Result<bool> confirmed(World& world, const std::string& question);

}  // namespace det::cli
