#pragma once

// Notices that the database is not the one this cluster's experiments and tasks live in: restored from an old copy, or
// another one altogether. What runs would then be started again, or numbered like something else, so nothing is decided
// until a person has said which of the two is right. Belongs to the io thread.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/log.h"
#include "k8sclient/client.h"
#include "store/cluster/cluster_store.h"

namespace det::op {

struct DatabaseGuardOptions {
  std::string ns;          // of the ConfigMap that remembers the database
  std::string name;        // of that ConfigMap
  std::string objects_ns;  // whose Experiments and Tasks are told; empty: of all namespaces
  std::function<bool(const std::string& controller_class)> is_ours;
  std::chrono::nanoseconds ask_again = std::chrono::seconds(30);
};

class DatabaseGuard {
 public:
  DatabaseGuard(k8s::Client& client, Clock& clock, store::ClusterStore& cluster, DatabaseGuardOptions options);

  // Returns when the database is the one the cluster remembers, or the first it sees. Until then every Experiment and
  // Task that is not over says Stalled/DatabaseReplaced with what to do, and the question is asked again every
  // `ask_again`; while the database or the API is away, it waits.
  Task<void> admit();

 private:
  // What the cluster remembers; remembers `incarnation` when it has nothing yet.
  Task<Result<std::string>> remembered(std::string incarnation);
  Task<void> tell_all(std::string message);
  Task<void> tell(k8s::Resource resource, std::string message);

  k8s::Client& client_;
  Clock& clock_;
  store::ClusterStore& cluster_;
  DatabaseGuardOptions options_;
  Logger log_{"database_guard"};
};

}  // namespace det::op
