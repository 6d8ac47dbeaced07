#pragma once

// Changes what is logged while the program runs.

#include "base/log.h"

namespace det {

// Of all loggers, from now on. Any thread may call it.
void set_log_level(LogLevel level);

}  // namespace det
