#pragma once

// What of a run the proxy reaches. Pure.

#include <string>
#include <vector>

#include "model/taskconf/task_config.h"
#include "operator/task/task_round.h"
#include "store/proxy/service_store.h"

namespace det::op {

// Of the task's first pod; nothing before it has an address.
[[nodiscard]] std::vector<store::ProxyService> services_of(const TaskRound& round);

// Ports that a configuration opens (environment.proxy_ports), of the first pod of any run.
struct OpenPorts {
  std::string task_id;
  std::string allocation_id;
  std::string address;
  model::UserId owner;
  std::vector<model::ProxyPort> ports;
};
[[nodiscard]] std::vector<store::ProxyService> services_of(const OpenPorts& open);

}  // namespace det::op
