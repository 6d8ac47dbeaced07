#pragma once

// The limits a shim sets itself, where control groups cannot be had or do not reach. Called by the shim and by the
// process that becomes bubblewrap.

#include <cstdint>

#include "local/agent/shim.h"

namespace det::local {

// Of the calling process and all it becomes: memory, processes, no core dumps, and the first to go when memory is
// short.
void limit_self(const ShimSpec& spec);

// At most `limit` processes and threads in the process space of `pid`. Root only, and only where the kernel counts
// numbers per space (6.14): root is exempt from the limit of a user's processes. Does nothing elsewhere.
void limit_process_space(int pid, std::int64_t limit);

}  // namespace det::local
