#pragma once

// Does what decide_run says. Each step may be repeated after a crash at any point of it, and leaves facts that lead
// further. Belongs to the io thread.

#include <optional>
#include <string>
#include <unordered_set>

#include "base/log.h"
#include "k8sclient/controller.h"
#include "operator/gang/gang_backend.h"
#include "operator/gang/run_decision.h"
#include "operator/gang/run_log.h"
#include "operator/gang/run_pods.h"
#include "operator/gang/run_services.h"
#include "operator/services.h"
#include "operator/trial/experiment_cache.h"
#include "operator/trial/trial_pods.h"
#include "operator/trial/trial_round.h"

namespace det::op {

class TrialEffects {
 public:
  TrialEffects(OperatorServices& services, GangBackend& backend, RunPods& runs, ExperimentCache& experiments)
      : services_(services),
        backend_(backend),
        runs_(runs),
        experiments_(experiments),
        pods_(services, backend, runs, experiments),
        proxied_(services.stores.services, services.epoch) {}

  // When to look again; nothing: facts have changed, look now. Notes in the round what people are to be shown.
  Task<Result<std::optional<k8s::Outcome>>> perform(TrialRound& round, const RunDecision& decision, Logger log);

 private:
  Task<Status> rest(const TrialRound& round, const RunDecision& decision);
  Task<Status> wait(const TrialRound& round, const RunDecision& decision, Logger log);
  // Without effect where the experiment's limits leave no room.
  Task<Status> start_run(const TrialRound& round, Logger log);
  Task<Result<std::optional<k8s::Outcome>>> create_pods(TrialRound& round, Logger log);
  Task<Status> end_run(const TrialRound& round, const RunDecision& decision, Logger log);
  Task<Status> finish(const TrialRound& round, const RunDecision& decision, Logger log);
  // As an error, for a reason that no later try can change.
  Task<Status> give_up(const TrialRound& round, std::string reason, Logger log);

  // What of the first pod the proxy reaches.
  Task<Status> publish_services(const TrialRound& round);
  // The gang runs and its pods have not found each other: says so, once a run.
  Task<void> notice_slow_rendezvous(const TrialRound& round, Logger log);
  // The run is closed in the database: whoever waits for that goes on.
  void after_run(const TrialRound& round, const RunDecision& decision, Logger log);
  Task<void> write_end(const TrialRound& round, const RunDecision& decision);
  // Best effort: a line for people is not worth holding a trial up.
  Task<void> write_log(const TrialRound& round, std::string allocation_id, std::string line);

  OperatorServices& services_;
  GangBackend& backend_;
  EndLines ends_;
  RunPods& runs_;
  ExperimentCache& experiments_;
  TrialPods pods_;
  RunServices proxied_;
  std::unordered_set<std::string> slow_;  // allocations whose slow rendezvous was noticed
};

}  // namespace det::op
