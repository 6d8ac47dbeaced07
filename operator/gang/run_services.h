#pragma once

// What of a run's first pod the proxy reaches. Belongs to the io thread.

#include <map>
#include <string>
#include <vector>

#include "model/expconf/experiment_config.h"
#include "model/ids.h"
#include "operator/gang/pod_facts.h"
#include "store/proxy/service_store.h"

namespace det::op {

// Ports that a configuration opens (environment.proxy_ports).
struct OpenPorts {
  std::string task_id;
  std::string allocation_id;
  std::string address;  // of the first pod; empty: it has none yet
  model::UserId owner;
  const std::vector<model::ProxyPort>& ports;
};
// Nothing before there is an address. No two have one id. Pure.
[[nodiscard]] std::vector<store::ProxyService> services_of(const OpenPorts& open);

// Of the pod of rank 0; empty: it has none yet. Pure.
[[nodiscard]] std::string first_address(const std::vector<PodFacts>& pods);

// Publishes the services of runs, and nothing that was said already.
class RunServices {
 public:
  // `store` outlives it; `epoch` is that of the leader that publishes.
  RunServices(store::ServiceStore& store, store::Epoch epoch) : store_(store), epoch_(epoch) {}

  Task<Status> publish(std::string task_id, std::string allocation_id, std::vector<store::ProxyService> wanted);
  // Its run has ended, or it is gone.
  void forget(const std::string& task_id) { published_.erase(task_id); }

 private:
  store::ServiceStore& store_;
  store::Epoch epoch_;
  std::map<std::string, std::vector<store::ProxyService>> published_;  // by task id
};

}  // namespace det::op
