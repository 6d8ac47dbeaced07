#pragma once

// A program that this command runs for the person who typed it, with the same terminal. Linux. Belongs to the io
// thread.

#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace det::cli {

// Runs argv[0], looked for on PATH, until it ends: its exit code, 128 and the signal when one ended it. It shares
// terminal, environment and process group, so Ctrl-C reaches it too. Cancelling ends it. kNotFound when there is no
// such program.
Task<Result<int>> run_in_foreground(std::vector<std::string> argv);

}  // namespace det::cli
