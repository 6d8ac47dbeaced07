#pragma once

// Whether the Python that trials will run in has the package that they need: found out before anything is started.

#include <string>

#include "base/result.h"

namespace det::local {

// Asks the environment in `folder` (a virtual environment, or "/usr"; empty: the machine's own Python) whether it has
// the package `determined`. kFailedPrecondition with what to do when it has not, when it cannot be run, or when it has
// not answered within 20 s. Starts a process and waits for it.
[[nodiscard]] Status check_harness_package(const std::string& folder, const std::string& version);

}  // namespace det::local
