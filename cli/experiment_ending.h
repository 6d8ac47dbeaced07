#pragma once

// How an experiment went, for the person who followed it: what it ended as, its best metric, and how to get at what it
// trained.

#include <cstdint>

#include "base/result.h"
#include "base/task.h"
#include "cli/master_client.h"
#include "cli/world.h"

namespace det::cli {

// After the log of `trial` has ended. Prints a few lines; the exit code is 1 when the experiment, or this trial of one
// that goes on, did not complete.
Task<Result<int>> tell_ending(World& world, MasterClient client, std::int64_t experiment, std::int64_t trial);

}  // namespace det::cli
