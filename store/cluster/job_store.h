#pragma once

// The queue: experiments and tasks that run or want to, and the runs that hold slots now. Read only. Belongs to the io
// thread; Pool outlives it.

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/ids.h"
#include "model/states.h"
#include "pg/pool.h"
#include "store/trials/allocation_store.h"

namespace det::store {

struct JobRow {
  std::string job_id;                             // uuid
  std::optional<model::ExperimentId> experiment;  // nothing: it is a task
  std::string task_id;                            // of a task that people start by itself
  std::int64_t task_number = 0;                   // of such a task
  std::string type = "EXPERIMENT";                // or that of the task, Determined's word
  std::string title;
  model::UserId owner;
  std::string username;
  model::WorkspaceId workspace;
  std::string resource_pool;  // empty: the default one
  int priority = 0;           // a larger one goes first
  std::int64_t place = 0;     // among those of its priority (store/cluster/queue_place.h); a smaller one goes first
  double weight = 1;
  std::optional<double> progress;  // 0..1
  WallTime start_time;
  int requested_slots = 0;    // of all trials that have not ended; of one trial while there is none
  int allocated_slots = 0;    // of pods that are on a node
  bool is_scheduled = false;  // has pods on nodes, perhaps of no slot
};

// A run that has not ended, and its pods.
struct OpenAllocation {
  std::string id;
  std::string task_id;
  std::optional<model::ExperimentId> experiment;  // with `trial`; nothing: of a task that people start by itself
  std::optional<model::TrialId> trial;
  std::string title;  // of such a task
  model::WorkspaceId workspace;
  int slots = 0;
  int priority = 0;
  std::string resource_pool;  // empty: the default one
  WallTime created_at;
  std::string job_id;                  // of the experiment or the task, a uuid
  std::vector<std::string> labels;     // of the experiment
  std::vector<ResourceRow> resources;  // by rank
};

// As JobStore::queue, for stores.
[[nodiscard]] std::vector<JobRow> read_queue(pg::Transaction& tx);

class JobStore {
 public:
  explicit JobStore(pg::Pool& pool) : pool_(pool) {}

  // In the order in which they get slots: priority, then place, then submission. Paused experiments are in it only
  // while their pods still hold slots.
  Task<Result<std::vector<JobRow>>> queue();
  Task<Result<std::vector<OpenAllocation>>> open_allocations();
  // Of any experiment or task, ended or not; neither for an unknown job.
  struct JobOf {
    std::optional<model::ExperimentId> experiment;
    std::string task_id;

    bool operator==(const JobOf&) const = default;
  };
  Task<Result<JobOf>> find(std::string job_id);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
