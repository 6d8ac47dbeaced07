#pragma once

// The pods of a trial's runs: made whole or not at all, followed, taken away. Every call may be repeated after a crash
// at any point. Belongs to the io thread.

#include <optional>
#include <string>
#include <unordered_map>

#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "operator/gang/gang_backend.h"
#include "operator/services.h"
#include "operator/trial/experiment_cache.h"
#include "operator/trial/trial_round.h"

namespace det::op {

class TrialPods {
 public:
  TrialPods(OperatorServices& services, GangBackend& backend, ExperimentCache& experiments)
      : services_(services), backend_(backend), experiments_(experiments) {}

  struct Made {
    std::optional<GangWait> waits;  // none were made: why the gang has to wait
    std::string refused;            // none were made, and no later try can succeed: why, in the API server's words
  };
  // Those of the gang that are missing, with what they need; their spec is noted in the round, which outlives the call.
  Task<Result<Made>> create(TrialRound& round, Logger log);
  // They exist and wait to be bound.
  Task<Status> keep(const TrialRound& round) { return backend_.keep(gang_of(round)); }
  // Writes where they are and how far the run is with that, when it says something new.
  Task<Status> follow(const TrialRound& round);
  // Those of the current run that are alive.
  Task<Status> remove(const TrialRound& round, std::string reason, Logger log);
  // Pods of earlier runs have nothing more to say; those of the last one stay for `kubectl logs`.
  Task<Status> remove_old(const TrialRound& round);

 private:
  // What is to be created: the gang with its missing pods.
  Task<Result<GangRequest>> missing_of(TrialRound& round, const pods::TaskRequest& request,
                                       const ExperimentCache::FrozenExperiment& experiment,
                                       const nlohmann::json& source);
  Task<Result<std::optional<GangWait>>> wait_for_leave(const TrialRound& round, const pods::TaskRequest& request,
                                                       const ExperimentCache::FrozenExperiment& experiment,
                                                       const nlohmann::json& source);
  Task<Status> ensure_bundle(std::string ns);
  // Without its pods.
  [[nodiscard]] static GangRequest gang_of(const TrialRound& round);

  OperatorServices& services_;
  GangBackend& backend_;
  ExperimentCache& experiments_;
  std::unordered_map<std::string, SteadyTime> bundles_;  // when a namespace was seen to have the harness' ConfigMap
};

}  // namespace det::op
