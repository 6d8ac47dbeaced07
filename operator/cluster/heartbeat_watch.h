#pragma once

// Ends unmanaged trials whose program is not heard of any more. Belongs to the io thread.

#include "base/log.h"
#include "operator/services.h"

namespace det::op {

class HeartbeatWatch {
 public:
  explicit HeartbeatWatch(OperatorServices& services) : services_(services), log_("heartbeats") {}

  // For ever; ends by cancellation.
  Task<void> run();
  // One look.
  Task<Status> look();

 private:
  OperatorServices& services_;
  Logger log_;
};

}  // namespace det::op
