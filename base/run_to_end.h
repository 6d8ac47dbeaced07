#pragma once

// The one task that a server program consists of.

#include <string>

#include <boost/asio/io_context.hpp>

#include "base/task.h"

namespace det {

// Runs `work` until it has returned and nothing of it is left. A program whose work has thrown would answer as if it
// were well while nobody decides anything: it ends at once with exit code 1, `what` is in its log, and whoever looks
// after it starts it anew. Nothing is put away then, as after a kill.
void run_to_end(asio::io_context& io, Task<void> work, const std::string& what);

}  // namespace det
