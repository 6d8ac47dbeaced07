#pragma once

// Sends a pod's status to the API server: always the newest one, one call at a time, again until it arrives. Belongs
// to the io thread.

#include <cstdint>

#include <nlohmann/json.hpp>

#include "base/async.h"
#include "base/clock.h"
#include "base/log.h"
#include "local/agent/pod_api.h"

namespace det::local {

class StatusReporter {
 public:
  StatusReporter(PodApi& api, Clock& clock, asio::any_io_executor executor, PodId pod);

  void set(nlohmann::json status);
  // Sends what is set, for ever; ends by cancellation.
  Task<void> run();
  // Returns when the server has what was set last, or when the pod is gone there.
  Task<void> flush();

 private:
  PodApi& api_;
  Clock& clock_;
  PodId pod_;
  Logger log_;
  Signal changed_;
  Signal sent_;
  nlohmann::json status_;
  std::uint64_t set_version_ = 0;
  std::uint64_t sent_version_ = 0;
  bool is_gone_ = false;
};

}  // namespace det::local
