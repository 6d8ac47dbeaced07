#pragma once

// Drives one trial: gathers facts, asks decide_trial for the next step, performs it, and looks again. May be killed
// after any instruction: every step is safe to repeat. Belongs to the io thread.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/bounded_map.h"
#include "base/log.h"
#include "k8sclient/controller.h"
#include "operator/gang/gang_backend.h"
#include "operator/services.h"
#include "operator/status_writer.h"
#include "operator/trial/trial_decision.h"
#include "operator/trial/trial_status.h"

namespace det::op {

class TrialReconciler {
 public:
  TrialReconciler(Services& services, GangBackend& backend) : services_(services), backend_(backend) {}

  // `key`: "namespace/name" of the Trial object.
  Task<Result<k8s::Outcome>> reconcile(std::string key, Logger log);

  // A pod that exists no more: what it said last may say why.
  void note_gone(const PodFacts& pod);

 private:
  // Everything one round looks at.
  struct Round {
    TrialView object;
    store::TrialRow row;
    std::optional<store::AllocationRow> allocation;  // of the current run
    std::vector<store::ResourceRow> resources;
    TrialFacts facts;
    std::optional<GangWait> waits;  // why its gang has no pods
    nlohmann::json pod_spec;        // of the pods that were to be made, for people; null: none were
    store::RunLimits limits;        // of the experiment
  };
  Task<Result<Round>> gather(TrialView object);
  Task<Result<Round>> gather_limits(Round round);
  Task<Result<GangState>> observe(TrialView object, const Round& round);
  // Nothing: facts have changed, look again.
  Task<Result<std::optional<k8s::Outcome>>> perform(Round& round, TrialDecision decision, Logger log);

  Task<Status> start_run(Round round, Logger log);
  // The reason, if the gang has to wait. Notes the pods' spec in the round.
  Task<Result<std::optional<GangWait>>> create_pods(Round& round, Logger log);
  Task<Status> ensure_bundle(std::string ns);
  // Without its pods.
  [[nodiscard]] Gang gang_of(const Round& round) const;
  Task<Status> follow_pods(Round round, TrialDecision decision, Logger log);
  // The gang runs and its pods have not found each other: says so, once a run.
  Task<void> notice_slow_rendezvous(Round round, Logger log);
  // Trials that wait for the experiment's limits may have room now.
  void wake_siblings(const Round& round);
  Task<Status> delete_pods(Round round, std::string reason, Logger log);
  Task<Status> delete_old_pods(Round round);
  Task<Status> end_run(Round round, TrialDecision decision, Logger log);
  Task<Status> finish(Round round, TrialDecision decision, Logger log);
  Task<Result<pods::GangRequest>> gang_request(Round round, int run);
  Task<Result<std::string>> warm_start(store::TrialRow row, nlohmann::json config);
  // Never null.
  using FrozenExperiment = std::shared_ptr<const store::ExperimentView>;
  Task<Result<FrozenExperiment>> experiment(model::ExperimentId id, std::string uid);
  // The Experiment that owns the trial; null when our copy has none.
  std::shared_ptr<const ExperimentView> owner_of(const TrialView& trial);
  [[nodiscard]] const nlohmann::json& live_of(const store::ExperimentRow& row) const;
  Task<void> write_end(Round round, TrialDecision decision);
  Task<void> write_log(std::string task_id, std::string allocation_id, std::string line);
  // The outcome of the reconcile, or one that comes back sooner to write the status.
  Task<Result<k8s::Outcome>> publish(Round round, TrialDecision decision, k8s::Outcome outcome);
  [[nodiscard]] k8s::Outcome wait_until(std::optional<WallTime> deadline, k8s::Outcome otherwise) const;

  Services& services_;
  GangBackend& backend_;
  // Frozen configurations and names, which cannot change as long as the object is the same.
  BoundedMap<model::ExperimentId, FrozenExperiment> experiments_{256};
  std::shared_ptr<const ExperimentView> last_owner_;  // its trials mostly come one after another
  StatusPace pace_;
  std::unordered_map<std::string, SteadyTime> bundles_;  // when a namespace was seen to have the harness' ConfigMap
  // What pods said that were removed during a run that has not ended, by "namespace/trial object" and rank.
  std::unordered_map<std::string, std::map<int, PodFacts>> gone_;
  std::unordered_set<std::string> slow_;  // allocations whose slow rendezvous was noticed
};

}  // namespace det::op
