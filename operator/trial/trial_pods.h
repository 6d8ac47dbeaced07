#pragma once

// The pods of a trial's runs, as GangPods makes and follows them. Every call may be repeated after a crash at any
// point. Belongs to the io thread.

#include <optional>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "operator/gang/gang_pods.h"
#include "operator/gang/run_pods.h"
#include "operator/services.h"
#include "operator/trial/experiment_cache.h"
#include "operator/trial/trial_round.h"

namespace det::op {

class TrialPods {
 public:
  TrialPods(OperatorServices& services, GangBackend& backend, RunPods& runs, ExperimentCache& experiments)
      : services_(services),
        backend_(backend),
        runs_(runs),
        experiments_(experiments),
        gangs_(services, backend, runs) {}

  // Those of the gang that are missing, with what they need; their spec is noted in the round, which outlives the call.
  Task<Result<GangPods::Made>> create(TrialRound& round, Logger log);
  // They exist and wait to be bound.
  Task<Status> keep(const TrialRound& round) { return gangs_.keep(gang_of(round)); }
  // Writes where they are and how far the run is with that, when it says something new.
  Task<Status> follow(const TrialRound& round);

 private:
  Task<Result<std::optional<GangWait>>> wait_for_leave(const TrialRound& round, const pods::TaskRequest& request,
                                                       const ExperimentCache::FrozenExperiment& experiment,
                                                       const nlohmann::json& source);
  [[nodiscard]] static GangOfRun gang_of(const TrialRound& round);

  OperatorServices& services_;
  GangBackend& backend_;
  RunPods& runs_;
  ExperimentCache& experiments_;
  GangPods gangs_;
};

}  // namespace det::op
