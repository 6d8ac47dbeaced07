#pragma once

// Removes what nobody wants any more: dependents of owners that are gone, what foreground deletion waits for, the
// content of namespaces that are being deleted, events that are old or too many. Belongs to the io thread.

#include <deque>
#include <set>
#include <string>

#include "base/async.h"
#include "base/clock.h"
#include "base/log.h"
#include "local/kubeapi/resource_type.h"
#include "local/kubeapi/writer.h"

namespace det::local::kubeapi {

class GarbageCollector {
 public:
  // All outlive the collector. Create it before the store is loaded with work to do, and before anything is published.
  GarbageCollector(asio::any_io_executor executor, Clock& clock, ObjectStore& store, ObjectWriter& writer,
                   const Registry& registry);
  GarbageCollector(const GarbageCollector&) = delete;
  GarbageCollector& operator=(const GarbageCollector&) = delete;

  // First looks at everything there is, then at what changes. Ends by cancellation.
  Task<void> run();

 private:
  void look_at_everything();
  void look_at(const Place& place, const ObjectRef& object);
  void on_change(const Change& change);
  Task<void> collect();
  Task<void> expire_events();
  // Each a mutation of its own.
  Outcome collect_dependent(Staging& staging, const Place& place) const;
  Outcome advance_foreground(Staging& staging, const Place& place) const;
  Outcome advance_namespace(Staging& staging, const std::string& name) const;
  void remove_place(Staging& staging, const Place& place, const char* propagation) const;

  Clock& clock_;
  ObjectStore& store_;
  ObjectWriter& writer_;
  const Registry& registry_;
  Signal woken_;
  std::set<Place> dependents_;        // perhaps without an owner
  std::set<Place> waiting_;           // deleted in the foreground
  std::set<std::string> namespaces_;  // being deleted
  Signal crowded_;                    // with events
  std::size_t new_events_ = 0;        // since they were swept
  Logger log_{"kube-api.gc"};
};

}  // namespace det::local::kubeapi
