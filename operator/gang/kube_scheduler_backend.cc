#include "operator/gang/kube_scheduler_backend.h"

#include <utility>

namespace det::op {

Task<Result<std::optional<GangWait>>> KubeSchedulerBackend::create(GangRequest gang) {
  if (auto wait = half_gangs_.back_off_of(gang.owner)) co_return wait;
  auto created = co_await create_pods(client_, gang.owner.key.ns, std::move(gang.pods));
  if (created) co_return std::nullopt;
  if (created.error().code != ErrorCode::kPermissionDenied || gang.size == 1) {
    co_return std::unexpected(std::move(created).error());
  }
  GangWait refused = refused_wait(created.error().message);
  co_return co_await half_gangs_.forbidden(std::move(gang), std::move(refused));
}

Task<Status> KubeSchedulerBackend::release(WorkloadKey owner) {
  half_gangs_.forget(owner);
  co_return Status{};
}

void KubeSchedulerBackend::back_off(const WorkloadKey&, const std::string&) {}

}  // namespace det::op
