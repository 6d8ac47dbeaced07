#pragma once

// Trials and their runs. A run is one allocation: starting run n makes its row, with the hash of its token, in the same
// transaction that moves the trial to n. Belongs to the io thread; Pool outlives it. Missing rows are nothing for find
// and kNotFound "trial '7' not found" for changes.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pg/pool.h"
#include "store/cluster/epoch.h"
#include "store/trials/trial_rows.h"

namespace det::store {

class TrialStore {
 public:
  explicit TrialStore(pg::Pool& pool) : pool_(pool) {}

  // Inserts the row and its task, or returns the one with the same request id.
  Task<Result<TrialRow>> insert(Epoch epoch, NewTrial trial);
  Task<Result<std::optional<TrialRow>>> find(model::TrialId id);
  Task<Result<std::optional<TrialRow>>> find_by_request(model::ExperimentId experiment, std::string request_id);
  Task<Result<std::optional<TrialRow>>> find_by_task(std::string task_id);
  // All of an experiment, by id.
  Task<Result<std::vector<TrialRow>>> of_experiment(model::ExperimentId experiment);
  // Those whose end the search's log does not hold, by id: what the reconcilers work with. A search of a hundred
  // thousand trials has few of them at a time.
  Task<Result<std::vector<TrialRow>>> open_of_experiment(model::ExperimentId experiment);
  // The first one that ended in error.
  Task<Result<std::optional<TrialRow>>> first_failed(model::ExperimentId experiment);
  Task<Result<TrialCounts>> counts(model::ExperimentId experiment);
  // Trial ids by request id.
  Task<Result<std::unordered_map<std::string, model::TrialId>>> numbers(model::ExperimentId experiment);
  Task<Result<std::optional<TrialView>>> view(model::TrialId id);
  // In the order of `ids`, without those that are gone.
  Task<Result<std::vector<TrialView>>> views(std::vector<std::int64_t> ids);
  // What people see. kInvalidArgument "offset out of bounds" when the page starts after the end.
  Task<Result<Paged<TrialView>>> list(TrialQuery query);
  // The same, for who shows them a few at a time.
  Task<Result<Paged<std::int64_t>>> list_ids(TrialQuery query);

  // Of its object, which the Experiment object `owner` owns. kAborted when its experiment has another object by now, as
  // one has that was continued meanwhile: the object goes with its owner.
  Task<Status> set_uid(model::TrialId id, std::string uid, std::string owner);
  // Moves from one of `from` to `to`; returns whether it did. A terminal state also sets the end times of trial and
  // task.
  Task<Result<bool>> transition(Epoch epoch, model::TrialId id, std::vector<model::TrialState> from,
                                model::TrialState to, std::string reason);
  // Idempotent per run. The earlier run's tokens die. For the current run, while it has not
  // ended, it only replaces the token hashes, for a leader that died between this and the Secret, so that the plain
  // tokens are lost: the plan that was written first stands. kFailedPrecondition when `run.run` is neither the current
  // run nor the next one. kResourceExhausted, saying why, when the experiment's limits leave no room for it now.
  Task<Status> start_run(Epoch epoch, model::TrialId id, NewRun run);
  // Ends the run's allocation and moves the counter; once per run, however often it is called.
  Task<Status> record_exit(Epoch epoch, model::TrialId id, TrialExit exit);
  // Ends the trial and its run in one transaction, so that no token outlives the trial. Returns whether the trial was
  // alive; the run is ended in any case. kInvalidArgument for a state that is not terminal.
  Task<Result<bool>> end(Epoch epoch, model::TrialId id, TrialEnd end);

  // The open runs of an experiment, the oldest first.
  Task<Result<std::vector<OpenRun>>> open_runs(model::ExperimentId experiment);
  Task<Result<InfraFailures>> infra_failures(model::TrialId id, WallTime since);

  // Whether it says something new about the trial. An unknown trial is nothing new.
  Task<Result<bool>> note_log_verdict(model::TrialId id, LogVerdictChange change);
  Task<Status> set_runner_state(model::TrialId id, std::string state);
  Task<Status> set_early_exit(model::TrialId id, std::string reason);

  // Writes what differs and wakes who waits for it (kStateChannel). Unknown trials are left out.
  Task<Status> order_work(Epoch epoch, std::vector<WorkOrder> orders);
  // Notes that the trial's harness asks for its work, and returns the row.
  Task<Result<TrialRow>> ask_for_work(model::TrialId id);
  // The trial has trained to `length` with this value of the searcher's metric (any JSON): input for the search, in the
  // same transaction. Idempotent. kInvalidArgument for another length than the one it was given, as upstream says it.
  Task<Status> complete_work(model::TrialId id, std::int64_t length, nlohmann::json metric);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
