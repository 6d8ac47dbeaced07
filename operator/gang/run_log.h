#pragma once

// What the operator itself says in a task's log. Belongs to the io thread.

#include <string>

#include "base/bounded_map.h"
#include "base/clock.h"
#include "base/task.h"
#include "store/logs/log_writer.h"
#include "store/tasks/task_rows.h"
#include "store/trials/trial_rows.h"

namespace det::op {

// Best effort: a line for people is not worth holding a run up. Whether it was written.
Task<bool> write_run_log(store::LogSink& logs, Clock& clock, std::string task_id, std::string allocation_id,
                         std::string line);
// The last line of a run, once: what follows it may have to be tried again, as while the database has no room.
class EndLines {
 public:
  Task<void> write(store::LogSink& logs, Clock& clock, std::string task_id, std::string allocation_id,
                   std::string line);

 private:
  BoundedMap<std::string, std::string> written_{1'000};  // by allocation
};
// What Determined calls them there.
[[nodiscard]] std::string title(const store::TrialRow& trial);
[[nodiscard]] std::string title(const store::TaskRow& task);
// The last line of what is ended because its object is gone; nothing where it never ran. Before its row ends: whoever
// follows the log is let go then.
Task<void> write_abandoned(store::LogSink& logs, Clock& clock, const store::TrialRow& trial, std::string why);
Task<void> write_abandoned(store::LogSink& logs, Clock& clock, const store::TaskRow& task, std::string why);

}  // namespace det::op
