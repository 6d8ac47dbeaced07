#pragma once

// What the operator itself says in a task's log. Belongs to the io thread.

#include <string>

#include "base/clock.h"
#include "base/task.h"
#include "store/logs/log_writer.h"

namespace det::op {

// Best effort: a line for people is not worth holding a run up.
Task<void> write_run_log(store::LogSink& logs, Clock& clock, std::string task_id, std::string allocation_id,
                         std::string line);

}  // namespace det::op
