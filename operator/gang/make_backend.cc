#include "operator/gang/make_backend.h"

#include <utility>

#include "operator/gang/kube_scheduler_backend.h"
#include "operator/gang/own_backend.h"

namespace det::op {

std::unique_ptr<GangBackend> make_backend(asio::any_io_executor executor, const OperatorServices& services,
                                          GangChoice gangs, std::string ns, std::string managed_by,
                                          WakeOwner wake_owner) {
  const model::SchedulerConfig& config = services.settings.master.scheduler;
  Logger("operator").info("gangs are scheduled", {{"by", model::to_string(gangs.kind)}, {"version", gangs.version}});
  switch (gangs.kind) {
    case model::GangBackendKind::kKubeScheduler:
      return std::make_unique<KubeSchedulerBackend>(services.client, services.clock);
    case model::GangBackendKind::kNative:
    case model::GangBackendKind::kCoscheduling:
      return std::make_unique<PodGroupBackend>(std::move(executor), services.client, services.clock, std::move(gangs),
                                               config, std::move(ns), std::move(managed_by), std::move(wake_owner));
    case model::GangBackendKind::kOwn:
    case model::GangBackendKind::kAuto:
      break;
  }
  OwnBackendOptions own{.config = config, .ns = std::move(ns), .managed_by = std::move(managed_by)};
  return std::make_unique<OwnBackend>(std::move(executor), services.client, services.clock, std::move(own),
                                      std::move(wake_owner));
}

}  // namespace det::op
