#pragma once

// When somebody last used a service: noted in memory, written together every few seconds, because replicas and the
// leader share it by the database. Belongs to the io thread; store and clock outlive it.

#include <chrono>
#include <map>
#include <string>

#include "base/clock.h"
#include "store/proxy/service_store.h"

namespace det::proxy {

class RequestTimes {
 public:
  RequestTimes(Clock& clock, store::ServiceStore& store) : clock_(clock), store_(store) {}

  void note(const std::string& service_id) { noted_[service_id] = clock_.wall_now(); }
  // What could not be written is kept for the next time.
  Task<void> flush();
  // Flushes every few seconds, until cancelled. The last flush is the caller's.
  Task<void> run();

 private:
  Clock& clock_;
  store::ServiceStore& store_;
  std::map<std::string, WallTime> noted_;
};

}  // namespace det::proxy
