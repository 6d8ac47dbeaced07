#pragma once

// What a run of a trial is to be: decided once, when it starts, and from then on read from its allocation.

#include "base/result.h"
#include "base/task.h"
#include "operator/services.h"
#include "operator/trial/experiment_cache.h"
#include "operator/trial/trial_round.h"
#include "pods/pod_builder.h"
#include "store/trials/run_plan.h"

namespace det::op {

// Of the next run. `round` and `experiment` outlive the call. kInvalidArgument when the checkpoint that the experiment
// is to start from is gone. Belongs to the io thread.
Task<Result<store::RunPlan>> plan_run(OperatorServices& services, const TrialRound& round,
                                      const model::ExperimentConfig& experiment);

// What run number `run` needs in Kubernetes, without its tokens. Pure.
[[nodiscard]] pods::TaskRequest task_of_run(const TrialRound& round,
                                            const ExperimentCache::FrozenExperiment& experiment,
                                            const store::RunPlan& plan, int run);

}  // namespace det::op
