#pragma once

// Why experiments of a list wait, below it. Belongs to the io thread.

#include "cli/master_client.h"

namespace det::cli {

// A line on standard error for each of the first five experiments that are queued: "Experiment 4 waits; ...". Masters
// that do not know the question (Determined's) are not asked again.
Task<void> tell_waiting_reasons(World& world, MasterClient client, Json experiments);

}  // namespace det::cli
