#pragma once

// Drives one trial: gathers facts, asks decide_trial for the next step, has TrialEffects perform it, looks again, and
// publishes what it saw last. May be killed after any instruction: every step is safe to repeat. Belongs to the io
// thread.

#include <map>
#include <string>
#include <unordered_map>

#include "base/log.h"
#include "k8sclient/controller.h"
#include "operator/gang/gang_backend.h"
#include "operator/services.h"
#include "operator/status_writer.h"
#include "operator/trial/experiment_cache.h"
#include "operator/trial/trial_decision.h"
#include "operator/trial/trial_effects.h"
#include "operator/trial/trial_round.h"

namespace det::op {

class TrialReconciler {
 public:
  TrialReconciler(OperatorServices& services, GangBackend& backend)
      : services_(services), backend_(backend), experiments_(services), effects_(services, backend, experiments_) {}

  // `key`: "namespace/name" of the Trial object.
  Task<Result<k8s::Outcome>> reconcile(std::string key, Logger log);

  // A pod that exists no more: what it said last may say why.
  void note_gone(const PodFacts& pod);

 private:
  Task<Result<TrialRound>> gather(ObservedTrial object);
  Task<Result<TrialRound>> gather_limits(TrialRound round);
  Task<Result<GangState>> observe(const TrialRound& round);
  // The outcome of the reconcile, or one that comes back sooner to write the status.
  Task<Result<k8s::Outcome>> publish(TrialRound round, TrialDecision decision, k8s::Outcome outcome);

  OperatorServices& services_;
  GangBackend& backend_;
  ExperimentCache experiments_;
  TrialEffects effects_;
  StatusPace pace_;
  // What pods said that were removed during a run that has not ended, by "namespace/trial object" and rank.
  std::unordered_map<std::string, std::map<int, PodFacts>> gone_;
};

}  // namespace det::op
