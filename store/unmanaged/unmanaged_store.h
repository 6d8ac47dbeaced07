#pragma once

// Unmanaged experiments: their trials run where people start them and tell what they do, and the states of the
// experiments follow from those of the trials. A run is an allocation without pods, whose tokens nobody has. Belongs to
// the io thread; Pool outlives it. Missing trials are kNotFound "trial '7' not found"; those of experiments that the
// cluster runs are kInvalidArgument "only unmanaged trials are supported".

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/ids.h"
#include "model/states.h"
#include "pg/pool.h"

namespace det::store {

struct UnmanagedTrial {
  model::ExperimentId experiment;
  nlohmann::json hparams = nlohmann::json::object();
  std::string external_id;  // empty: none, so that it is always a new one
};

// What a program that starts a run goes on from.
struct UnmanagedRun {
  int run = 0;
  std::int64_t steps = 0;
  std::string checkpoint;  // uuid of the latest one; empty: none
};

struct SilentTrial {
  model::TrialId trial;
  std::string task_id;
};

class UnmanagedStore {
 public:
  explicit UnmanagedStore(pg::Pool& pool) : pool_(pool) {}

  // Puts another configuration in place of the experiment's.
  Task<Status> replace_config(model::ExperimentId id, nlohmann::json config, std::string original, std::string hash);

  // Makes a trial that waits to be started, or finds the one of the experiment with this external id, whose
  // hyperparameters are replaced. kInvalidArgument "trials can only be created on unmanaged experiments".
  Task<Result<model::TrialId>> put_trial(UnmanagedTrial trial);
  Task<Result<std::optional<model::TrialId>>> find_external(std::string external_experiment,
                                                            std::string external_trial);

  // Starts the next run, which ends the one before it. Only with `resume` where one was started before:
  // kInvalidArgument "trial has already been started".
  Task<Result<UnmanagedRun>> start(model::TrialId id, bool resume);
  // Says that its program lives, and what became of it: ACTIVE, COMPLETED, ERROR or CANCELED. One that was ended for
  // its silence is ACTIVE again. kFailedPrecondition for a trial that somebody canceled, or that was never started.
  Task<Status> heartbeat(model::TrialId id, std::optional<model::TrialState> state);

  // Cancels what has not ended. Nobody can stop the programs; what they say from then on is refused.
  Task<Status> cancel(model::ExperimentId id);
  // Ends in error the trials that were not heard of for so long.
  Task<Result<std::vector<SilentTrial>>> end_silent(std::chrono::seconds silence);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
