#include "operator/task/task_services.h"

#include "base/encoding.h"
#include "operator/gang/run_services.h"
#include "pods/standalone_task.h"

namespace det::op {

using model::TaskType;

std::vector<store::ProxyService> services_of(const TaskRound& round) {
  if (!round.allocation) return {};
  const std::string address = first_address(round.facts.gang.pods);
  if (address.empty()) return {};
  std::vector<store::ProxyService> services = services_of(OpenPorts{.task_id = round.row.id,
                                                                    .allocation_id = round.allocation->id,
                                                                    .address = address,
                                                                    .owner = round.row.owner,
                                                                    .ports = round.config.environment.proxy_ports});
  const int port = pods::service_port(round.type, round.plan.port_base);
  if (port == 0) return services;
  store::ProxyService own{.id = round.row.id,
                          .task_id = round.row.id,
                          .allocation_id = round.allocation->id,
                          .address = address,
                          .port = port,
                          // sshd knows its people by their keys, and its clients have no login to show.
                          .is_tcp = round.type == TaskType::kShell,
                          .is_unauthenticated = round.type == TaskType::kShell,
                          .is_shared = round.type == TaskType::kTensorBoard,
                          .owner = round.row.owner};
  if (!round.row.access.token.empty()) own.token_hash = sha256_hex(round.row.access.token);
  std::erase_if(services, [&](const store::ProxyService& one) { return one.id == own.id; });
  services.push_back(std::move(own));
  return services;
}

}  // namespace det::op
