#pragma once

// What programs in sandboxes may not ask of the kernel. A list of refusals like the default one of container runtimes:
// mounting, namespaces of one's own, loading code into the kernel, its keyrings, io_uring, and the rest of what
// programs that compute do not need and exploits do. Pure; any thread.

#include <vector>

#include <linux/filter.h>

namespace det::local {

// A seccomp program for this machine's architecture; other architectures' system calls end the process.
[[nodiscard]] std::vector<sock_filter> sandbox_filter();

}  // namespace det::local
