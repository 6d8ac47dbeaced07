#pragma once

// Our own gang scheduling: one loop decides over the whole cluster which gangs start, and where; their pods are created
// pinned to their nodes, so that kube-scheduler binds them there or not at all. Pods that were decided on count as
// placed until they are seen. Nothing here is remembered across a restart: what runs is seen in the cluster, what waits
// is queued again by the trials' reconcilers. Belongs to the io thread.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/log.h"
#include "model/cluster/scheduler_config.h"
#include "operator/cluster/cluster_watch.h"
#include "operator/gang/admission_preview.h"
#include "operator/gang/back_offs.h"
#include "operator/gang/gang_backend.h"
#include "operator/gang/queue_order.h"
#include "scheduler/decide.h"

namespace det::op {

struct OwnBackendOptions {
  model::SchedulerConfig config;
  std::string ns;          // of the operator's objects; empty: all
  std::string managed_by;  // label of our pods
};

class OwnBackend final : public GangBackend {
 public:
  // `wake_owner` gets the owner of a gang that may start now, or waits for something else.
  OwnBackend(asio::any_io_executor executor, k8s::Client& client, Clock& clock, OwnBackendOptions options,
             WakeOwner wake_owner);

  [[nodiscard]] std::string name() const override { return "own"; }
  Task<Result<std::optional<GangWait>>> create(GangRequest gang) override;
  Task<Status> release(WorkloadKey owner) override;
  void back_off(const WorkloadKey& owner, const std::string& why) override;
  void set_places(store::JobPlaces places) override;
  [[nodiscard]] std::optional<std::chrono::seconds> bind_timeout(int pods) const override;
  [[nodiscard]] bool is_outdated() const override { return watch_.is_outdated(); }
  Task<void> run() override;

 private:
  enum class State : std::uint8_t { kWaiting, kPlaced };
  // A gang that has asked for its pods and does not have them yet.
  struct Entry {
    State state = State::kWaiting;
    WorkloadKey owner;
    JobInQueue job;
    scheduler::Gang gang;                                 // its name is "namespace/run"
    std::vector<std::string> pod_names;                   // those to be made
    std::vector<std::string> nodes;                       // kPlaced: for each of them
    std::shared_ptr<const scheduler::WaitReason> reason;  // nothing before the first decision
    bool is_awaited = false;                              // create() waits for the decision, nobody has to be woken
    bool is_looked_at = false;
    // What the trial was last woken to show, and when.
    std::shared_ptr<const scheduler::WaitReason> told_reason;
    SteadyTime told{};
  };
  void enqueue(const GangRequest& gang, scheduler::PodShape wanted);
  Task<void> wait_for_decision(std::string key);
  Task<Result<std::optional<GangWait>>> create_placed(GangRequest gang);
  // What has become of a gang's pods so far.
  struct Made {
    std::vector<MadePod> pods;
    std::vector<std::string> in_doubt;  // no answer came: they may be there
    nlohmann::json last;
  };
  // `made` outlives it.
  Task<Status> create_one(std::string ns, nlohmann::json pod, Made& made);
  // Of a gang that cannot be made whole: what is there already would hold its place for nothing. Pods in doubt keep
  // theirs until they are seen, kSeenWithin is over, or the gang is tried again.
  Task<GangWait> withdraw(WorkloadKey owner, Made made, std::string why);
  // Its back-off begins.
  void hold_back(const WorkloadKey& owner, const std::string& why);
  [[nodiscard]] static GangWait wait_of(const Entry& entry);
  void drop_assumed(const Entry& entry);

  Task<void> work();
  Task<void> settle();
  // True when there is more to decide at once.
  bool decide();
  std::vector<scheduler::Gang> queue();
  [[nodiscard]] bool is_made(const Entry& entry) const;
  void admit(Entry& entry, std::vector<std::string> nodes);
  void explain(Entry& entry, std::shared_ptr<const scheduler::WaitReason> reason);
  [[nodiscard]] std::chrono::nanoseconds until_next_try() const;

  k8s::Client& client_;
  Clock& clock_;
  OwnBackendOptions options_;
  scheduler::DecideOptions deciding_;
  WakeOwner wake_owner_;
  Logger log_{"scheduler"};
  Signal changed_;
  Signal decided_;
  ClusterWatch watch_;
  AdmissionPreview preview_;
  std::map<std::string, Entry> entries_;  // by owner
  BackOffs back_offs_;
  ClusterWatch::Assumed assumed_;
  std::vector<scheduler::Reservation> reservations_;
  QueueOrder order_;
  // When the first back-off ends that kept a gang out of the last decision. Kept from there: measured later, one that
  // has ended meanwhile would be passed over.
  SteadyTime next_try_{};
  std::uint64_t asked_ = 0;  // gangs that were queued
};

}  // namespace det::op
