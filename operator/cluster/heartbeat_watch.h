#pragma once

// Ends unmanaged trials whose program is not heard of any more. Belongs to the io thread.

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "store/logs/log_writer.h"
#include "store/unmanaged/unmanaged_store.h"

namespace det::op {

class HeartbeatWatch {
 public:
  HeartbeatWatch(Clock& clock, store::UnmanagedStore& unmanaged, store::LogSink& logs)
      : clock_(clock), unmanaged_(unmanaged), logs_(logs), log_("heartbeats") {}

  // For ever; ends by cancellation.
  Task<void> run();
  // One look.
  Task<Status> look();

 private:
  Clock& clock_;
  store::UnmanagedStore& unmanaged_;
  store::LogSink& logs_;
  Logger log_;
  bool was_away_ = false;  // the database, at the last look
};

}  // namespace det::op
