#pragma once

// Brings the places that people gave to jobs from the database to the backend that places gangs. Belongs to the io
// thread.

#include "base/async.h"
#include "base/log.h"
#include "operator/gang/gang_backend.h"
#include "operator/services.h"

namespace det::op {

class QueueFollower {
 public:
  QueueFollower(OperatorServices& services, GangBackend& backend, asio::any_io_executor executor)
      : services_(services), backend_(backend), wake_(std::move(executor)), log_("queue") {}

  // Reads them, however long that takes: nothing is to be placed before.
  Task<void> read();
  // Until cancelled: again whenever they change.
  Task<void> run();
  void wake() { wake_.notify_all(); }

 private:
  OperatorServices& services_;
  GangBackend& backend_;
  Signal wake_;
  Logger log_;
};

}  // namespace det::op
