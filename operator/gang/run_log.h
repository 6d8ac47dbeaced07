#pragma once

// What the operator itself says in a task's log. Belongs to the io thread.

#include <string>

#include "base/clock.h"
#include "base/task.h"
#include "store/logs/log_writer.h"
#include "store/tasks/task_rows.h"
#include "store/trials/trial_rows.h"

namespace det::op {

// Best effort: a line for people is not worth holding a run up.
Task<void> write_run_log(store::LogSink& logs, Clock& clock, std::string task_id, std::string allocation_id,
                         std::string line);
// What Determined calls them there.
[[nodiscard]] std::string title(const store::TrialRow& trial);
[[nodiscard]] std::string title(const store::TaskRow& task);
// The last line of what is ended because its object is gone; nothing where it never ran. Before its row ends: whoever
// follows the log is let go then.
Task<void> write_abandoned(store::LogSink& logs, Clock& clock, const store::TrialRow& trial, std::string why);
Task<void> write_abandoned(store::LogSink& logs, Clock& clock, const store::TaskRow& task, std::string why);

}  // namespace det::op
