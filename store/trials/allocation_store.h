#pragma once

// Allocations: one attempt of a task, its pods, its token. A token is valid until its allocation ends. Belongs to the
// io thread; Pool outlives it. Changes of an unknown allocation are kNotFound "allocation 'x' not found"; each change
// of what long polls wait for notifies kAllocationChannel, its end kAllocationEndChannel.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/batched_lookup.h"
#include "base/clock.h"
#include "model/ids.h"
#include "model/run_exit.h"
#include "model/states.h"
#include "pg/pool.h"
#include "store/cluster/epoch.h"
#include "store/trials/trial_rows.h"
#include "store/users/user_store.h"

namespace det::store {

struct AllocationRow {
  std::string id;  // "<task>.<run>"
  std::string task_id;
  std::optional<model::TrialId> trial;
  std::optional<model::ExperimentId> experiment;
  int run = 0;
  model::AllocationState state = model::AllocationState::kPending;
  int slots = 0;
  model::UserId owner;
  WallTime created_at;
  std::optional<WallTime> ready_at;
  std::optional<WallTime> ended_at;
  std::string exit_reason;
  std::optional<int> exit_code;
  std::optional<WallTime> preempt_requested_at;
  std::optional<WallTime> preempt_acked_at;
  std::optional<RunPlan> plan;            // nothing: its program decided it anew each time
  std::optional<model::RunExit> verdict;  // what ended it; nothing while that is open
};

// One pod of the gang.
struct ResourceRow {
  int rank = 0;
  std::string resources_id;
  std::string pod_name;
  std::string node;  // empty until bound
  std::string ip;    // empty until it has one
  int slots = 0;
  bool daemon = false;         // set by the harness: its exit does not matter
  nlohmann::json accelerator;  // as the harness reported it, null before
};

struct ReportedAccelerator {
  std::string allocation_id;
  std::string node;
  std::string pool;
  nlohmann::json data;
};

// Whom a token stands for.
struct AllocationAuth {
  AllocationRow allocation;
  UserRow owner;
  bool is_user_token = false;  // DET_USER_TOKEN; of runs that had one token for both, that one
};

// The gang in rank order.
struct RendezvousInfo {
  std::vector<std::string> addresses;
  std::vector<int> slots;
  int rank = 0;  // of the resources that asked
};

struct TrialRun {
  TrialRow trial;
  std::optional<AllocationRow> allocation;  // of run `trial.run`; none before the first one
  std::vector<ResourceRow> resources;
  std::string experiment_uid;  // of the Experiment object that the experiment has now; empty: none
};

class AllocationStore {
 public:
  explicit AllocationStore(pg::Pool& pool);

  Task<Result<std::optional<AllocationRow>>> find(std::string id);
  // Everything that is known of a trial's latest run, in one look; nothing when there is no such trial.
  Task<Result<std::optional<TrialRun>>> run_of(model::TrialId trial);
  // Whether its harness should stop: it was asked to, or it has ended. Nothing when there is no such allocation. Looks
  // that come while another one is under way share one statement: a pause wakes hundreds at once.
  Task<Result<std::optional<bool>>> should_stop(std::string id);
  Task<Result<std::vector<AllocationRow>>> of_task(std::string task_id);
  // What the harness of each pod said of its accelerators, of the latest allocation first.
  Task<Result<std::vector<ReportedAccelerator>>> accelerators(std::string task_id);
  // Nothing when the token is unknown or its allocation has ended.
  Task<Result<std::optional<AllocationAuth>>> find_by_token(std::string token_hash);

  // What the reconciler sees of the pods: how far they are (forward only, as with advance) and where; ranks not named
  // stay. What the harness reported (daemon, accelerator) is kept.
  Task<Status> note_pods(std::string id, model::AllocationState reached, std::vector<ResourceRow> resources);
  // Nothing until the ranks are known (they are written all at once) and all have an address; then the allocation also
  // becomes ready.
  // kNotFound when `resources_id` is not one of them.
  Task<Result<std::optional<RendezvousInfo>>> rendezvous(std::string id, std::string resources_id);
  // Moves forward only: an earlier state than the current one changes nothing.
  Task<Status> advance(std::string id, model::AllocationState state);
  // Running and ready.
  Task<Status> mark_ready(std::string id);
  Task<Status> set_daemon(std::string id, std::string resources_id);
  // `container_id` is the pod's name (DET_CONTAINER_ID).
  Task<Status> set_accelerator(std::string id, std::string container_id, nlohmann::json data);

  // Asks the harness to stop at its next chance. Idempotent; the first time counts.
  Task<Status> request_preemption(std::string id);
  // Of all trials of the experiment that are ready, in one transaction.
  Task<Status> request_preemption(model::ExperimentId experiment);
  Task<Status> ack_preemption(std::string id);
  // What ended the run. The first verdict stands: a later one changes nothing.
  Task<Status> record_verdict(Epoch epoch, std::string id, model::RunExit verdict);
  // The token dies. Idempotent; the first end counts.
  Task<Status> end(std::string id, std::string reason, std::optional<int> exit_code);

 private:
  pg::Pool& pool_;
  BatchedLookup<bool> stops_;
};

}  // namespace det::store
