#pragma once

// The question before what cannot be taken back. Belongs to the io thread.

#include <string>

#include "base/result.h"
#include "cli/world.h"

namespace det::cli {

// Asks until the answer is yes or no; the end of input is a no. kFailedPrecondition where standard input is no
// terminal: scripts say --yes, and none of them waits for an answer that nobody gives.
[[nodiscard]] Result<bool> confirmed(World& world, const std::string& question);

}  // namespace det::cli
