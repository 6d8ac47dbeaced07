#pragma once

// Gangs by a PodGroup object and a scheduler that understands it: kube-scheduler's own (scheduling.k8s.io, alpha since
// Kubernetes 1.35) or the coscheduling plugin (scheduling.x-k8s.io). A group belongs to the Trial and goes with its
// run. Belongs to the io thread.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "k8sclient/informer.h"
#include "model/cluster/scheduler_config.h"
#include "operator/gang/gang_backend.h"
#include "operator/gang/half_gangs.h"

namespace det::op {

// How gangs are scheduled in this cluster, after `auto` was resolved.
struct GangChoice {
  model::GangBackendKind kind = model::GangBackendKind::kOwn;
  std::string version;  // of the PodGroup; empty with kNative or kCoscheduling: the cluster does not serve it
};
// Looks for the resource `podgroups`, not only for the group: scheduling.k8s.io is older than gangs.
Task<Result<GangChoice>> choose_gangs(k8s::Client& client, model::GangBackendKind wanted);

class PodGroupBackend final : public GangBackend {
 public:
  // `choice.kind` is kNative or kCoscheduling.
  PodGroupBackend(asio::any_io_executor executor, k8s::Client& client, Clock& clock, GangChoice choice,
                  model::SchedulerConfig config, std::string ns, std::string managed_by, WakeOwner wake_owner);

  [[nodiscard]] std::string name() const override;
  Task<Result<std::optional<GangWait>>> create(GangRequest gang) override;
  Task<Status> keep(GangRequest gang) override;
  Task<Status> release(WorkloadKey owner) override;
  void back_off(const WorkloadKey& owner, const std::string& why) override;
  // The cluster serves PodGroups by now.
  [[nodiscard]] bool is_outdated() const override { return is_outdated_; }
  Task<void> run() override;

 private:
  struct Group {
    WorkloadKey owner;
    std::string uid;
    bool is_going = false;

    bool operator==(const Group&) const = default;
  };
  static Group view_group(const nlohmann::json& object);

  [[nodiscard]] bool is_native() const { return choice_.kind == model::GangBackendKind::kNative; }
  [[nodiscard]] nlohmann::json group_object(const GangRequest& gang) const;
  // Makes the pod a member of the group.
  void join(nlohmann::json& pod, const std::string& group) const;

  k8s::Client& client_;
  Clock& clock_;
  GangChoice choice_;
  model::SchedulerConfig config_;
  std::string managed_by_;
  k8s::Resource resource_;
  WakeOwner wake_owner_;
  Logger log_{"scheduler"};
  k8s::Informer<Group> groups_;  // index kOfOwner
  HalfGangs half_gangs_;
  bool is_outdated_ = false;
};

}  // namespace det::op
