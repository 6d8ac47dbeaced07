#pragma once

// Creates the pods of a gang and leaves each of them to kube-scheduler. Belongs to the io thread.

#include <optional>
#include <string>

#include "operator/gang/gang_backend.h"
#include "operator/gang/half_gangs.h"

namespace det::op {

class KubeSchedulerBackend final : public GangBackend {
 public:
  KubeSchedulerBackend(k8s::Client& client, Clock& clock) : client_(client), half_gangs_(client, clock) {}

  [[nodiscard]] std::string name() const override { return "kube-scheduler"; }
  Task<Result<std::optional<GangWait>>> create(GangRequest gang) override;
  Task<Status> release(WorkloadKey owner) override;
  void back_off(const WorkloadKey& owner, const std::string& why) override;

 private:
  k8s::Client& client_;
  HalfGangs half_gangs_;
};

}  // namespace det::op
