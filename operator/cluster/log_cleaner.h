#pragma once

// Removes the logs of tasks that ended long enough ago, when retention_policy.schedule of master.yaml says, without one
// once a day. Belongs to the io thread.

#include "base/log.h"
#include "operator/services.h"

namespace det::op {

class LogCleaner {
 public:
  explicit LogCleaner(OperatorServices& services) : services_(services), log_("log-cleaner") {}

  // For ever; ends by cancellation.
  Task<void> run();

 private:
  Task<void> warn_of_held_logs();
  // Waits for the next pass and does it.
  Task<Status> pass_when_due();

  OperatorServices& services_;
  Logger log_;
};

}  // namespace det::op
