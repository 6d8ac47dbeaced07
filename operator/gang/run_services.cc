#include "operator/gang/run_services.h"

#include <algorithm>
#include <utility>

namespace det::op {

std::vector<store::ProxyService> services_of(const OpenPorts& open) {
  std::vector<store::ProxyService> services;
  if (open.address.empty()) return services;
  const auto add = [&services](store::ProxyService service) {
    const bool is_new = std::ranges::find(services, service.id, &store::ProxyService::id) == services.end();
    if (is_new) services.push_back(std::move(service));
  };
  for (const model::ProxyPort& port : open.ports) {
    store::ProxyService service{.id = open.task_id + ":" + std::to_string(port.port),
                                .task_id = open.task_id,
                                .allocation_id = open.allocation_id,
                                .address = open.address,
                                .port = port.port,
                                .is_tcp = port.proxy_tcp,
                                .is_unauthenticated = port.unauthenticated,
                                .owner = open.owner};
    add(service);
    if (!port.is_default) continue;
    service.id = open.task_id;
    add(std::move(service));
  }
  return services;
}

std::string first_address(const std::vector<PodFacts>& pods) {
  const auto first = std::ranges::find(pods, 0, &PodFacts::rank);
  return first == pods.end() ? std::string() : first->ip;
}

Task<Status> RunServices::publish(std::string task_id, std::string allocation_id,
                                  std::vector<store::ProxyService> wanted) {
  if (wanted.empty()) co_return Status{};
  const auto known = published_.find(task_id);
  if (known != published_.end() && known->second == wanted) co_return Status{};
  DET_CO_TRY(co_await store_.publish(epoch_, std::move(allocation_id), wanted));
  published_.insert_or_assign(std::move(task_id), std::move(wanted));
  co_return Status{};
}

}  // namespace det::op
