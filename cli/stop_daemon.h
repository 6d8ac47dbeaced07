#pragma once

// Asks a server of local mode to stop, and waits as long as its tasks may take; and ends what a killed one has left.

#include <filesystem>

#include "base/task.h"
#include "cli/process.h"
#include "cli/world.h"

namespace det::cli {

// SIGTERM, then until it has ended: 60 s, or the longest grace period of its tasks, which it writes down. False when it
// runs none the less. Says how long that may be if it is long.
Task<bool> stop_daemon(World& world, std::filesystem::path folder, ProcessIdentity process);

// A server that was killed could not end its tasks; a fresh one of `program` can, which writes into `log`. An error
// when one may still run.
Task<Status> end_left_pods(World& world, std::filesystem::path program, std::filesystem::path folder,
                           std::filesystem::path log);

}  // namespace det::cli
