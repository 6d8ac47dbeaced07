#pragma once

// The services of tasks, as they were published a moment ago: a request costs no query. What is known is believed while
// the database is away. Belongs to the io thread; store and clock outlive it.

#include <cstdint>
#include <optional>
#include <string>

#include "base/bounded_map.h"
#include "base/clock.h"
#include "store/proxy/service_store.h"

namespace det::proxy {

class Services {
 public:
  Services(Clock& clock, store::ServiceStore& store) : clock_(clock), store_(store) {}

  // Nothing: there is no such service. An error only where nothing is known of it.
  Task<Result<std::optional<store::ProxyService>>> find(std::string id);
  // The same, but waits a few seconds for a task that has just started: its first words may be heard before the pod's
  // address is.
  Task<Result<std::optional<store::ProxyService>>> find_soon(std::string id);

  // It changed (store::kProxyChannel), or its allocation ended: asked for again.
  void forget_task(const std::string& task_id);
  void forget_allocation(const std::string& allocation_id);
  void forget_all();

 private:
  struct Known {
    store::FoundService found;
    SteadyTime asked_at;
  };
  static constexpr std::size_t kMaxKnown = 20'000;
  static constexpr int kMaxWaiting = 256;

  Task<Result<store::FoundService>> look_up(std::string id);

  Clock& clock_;
  store::ServiceStore& store_;
  BoundedMap<std::string, Known> known_{kMaxKnown};
  int waiting_ = 0;            // in find_soon
  std::uint64_t changes_ = 0;  // an answer that was under way when something changed is not kept
};

}  // namespace det::proxy
