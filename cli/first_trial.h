#pragma once

// Following the log of an experiment that was just submitted. Belongs to the io thread.

#include <cstdint>

#include "base/result.h"
#include "base/task.h"
#include "cli/master_client.h"
#include "cli/world.h"

namespace det::cli {

// Waits for the experiment's first trial and prints its log to the end: the exit code. kFailedPrecondition when the
// experiment ends before it has a trial.
Task<Result<int>> follow_first_trial(World& world, MasterClient client, std::int64_t experiment);

}  // namespace det::cli
