#pragma once

// Drives one trial: gathers facts, asks decide_run for the next step, has TrialEffects perform it, looks again, and
// publishes what it saw last. May be killed after any instruction: every step is safe to repeat. Belongs to the io
// thread.

#include <string>

#include "base/log.h"
#include "k8sclient/controller.h"
#include "operator/gang/gang_backend.h"
#include "operator/gang/run_decision.h"
#include "operator/gang/run_observer.h"
#include "operator/gang/run_pods.h"
#include "operator/gang/wait_notes.h"
#include "operator/services.h"
#include "operator/status_writer.h"
#include "operator/trial/experiment_cache.h"
#include "operator/trial/trial_effects.h"
#include "operator/trial/trial_round.h"

namespace det::op {

class TrialReconciler {
 public:
  TrialReconciler(OperatorServices& services, GangBackend& backend, RunObserver& observer, RunPods& runs)
      : services_(services),
        backend_(backend),
        observer_(observer),
        experiments_(services),
        effects_(services, backend, runs, experiments_) {}

  // `key`: "namespace/name" of the Trial object.
  Task<Result<k8s::Outcome>> reconcile(std::string key, Logger log);
  // As StatusPace has it.
  [[nodiscard]] bool is_foreign(const std::string& key, const std::string& status) {
    return pace_.is_foreign(key, status);
  }

 private:
  // Nothing: the object is a former one's.
  Task<Result<std::optional<TrialRound>>> gather(ObservedTrial object);
  Task<Result<TrialRound>> gather_limits(TrialRound round);
  // What its pods need is forbidden, by a quota, a webhook or a missing right. That lasts, and only people can end it:
  // they are told. Gives the error.
  Task<Result<k8s::Outcome>> tell_refused(TrialRound round, RunDecision decision, Error refused);
  Task<void> log_limit(const TrialRound& round);
  // The outcome of the reconcile, or one that comes back sooner to write the status.
  Task<Result<k8s::Outcome>> publish(TrialRound round, RunDecision decision, k8s::Outcome outcome);

  OperatorServices& services_;
  GangBackend& backend_;
  RunObserver& observer_;
  ExperimentCache experiments_;
  TrialEffects effects_;
  StatusPace pace_;
  WaitNotes limit_notes_;
};

}  // namespace det::op
