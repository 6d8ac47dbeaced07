#pragma once

// Removal of checkpoints' and TensorBoards' files: planned by an experiment's policy or asked for by people, written
// down before any file is touched, carried out one task each, and only then told in the checkpoints' rows. Belongs to
// the io thread; Pool outlives it. Functions with an epoch refuse that of an earlier leader; kRemovalChannel is
// notified of what is new.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/turns.h"
#include "model/checkpoints/gc_plan.h"
#include "pg/pool.h"
#include "store/cluster/epoch.h"
#include "store/removals/removal_rows.h"
#include "store/tasks/task_rows.h"

namespace det::store {

class RemovalStore {
 public:
  explicit RemovalStore(pg::Pool& pool) : pool_(pool) {}

  // What this policy would give up now.
  Task<Result<std::vector<std::string>>> preview(model::ExperimentId id, model::GcPolicy policy);
  // Of what people name: kNotFound for a checkpoint without an experiment, kPermissionDenied for another's,
  // kFailedPrecondition for one that is needed or registered; then nothing is written. What is deleted, or going
  // already, is left out. Returns how many it is about.
  Task<Result<std::int64_t>> request(RemovalRequest request);
  // The experiment's TensorBoard files.
  Task<Status> request_tensorboard(model::ExperimentId id);
  // Of the latest such request.
  Task<Result<RemovalProgress>> tensorboard_progress(model::ExperimentId id);
  // An experiment that has ended becomes DELETING: its checkpoints and TensorBoard files are removed first. Safe to
  // repeat: what failed is tried again. kFailedPrecondition for one that has not ended, of which the model registry
  // holds a checkpoint, or that others which have not ended start or go on from.
  Task<Status> begin_delete(model::ExperimentId id);
  // Carries the policy out (again) that an experiment has now, if it has ended, held or not.
  Task<Status> policy_changed(model::ExperimentId id);

  // Plans for up to kMostDue experiments that are over and whose policy is due, all or none of them; or for this one.
  struct Planned {
    int experiments = 0;
    bool has_later = false;  // there are more, of which a run is open or whose row another transaction holds
  };
  static constexpr int kMostDue = 100;
  Task<Result<Planned>> plan_due(Epoch epoch, std::optional<model::ExperimentId> only = std::nullopt);
  // Whose are due, by their numbers, at most kMostDue of those behind `after`.
  Task<Result<std::vector<model::ExperimentId>>> due(std::int64_t after = 0);
  // Of each experiment the first that is not done: one at a time, as two of the same checkpoint would tell different
  // tales of what is left. In the order of their numbers, at most kMostPending of those behind `after`.
  static constexpr int kMostPending = 100;
  Task<Result<std::vector<Removal>>> pending(std::int64_t after = 0);
  // The one that this task carries out, also after it ended; nothing: none.
  Task<Result<std::optional<Removal>>> of_task(std::string task_id);
  // The task of the next attempt: its row, and that it is this removal's, in one transaction.
  Task<Result<TaskRow>> start(Epoch epoch, std::int64_t id, NewTask task);
  // The files are gone.
  Task<Status> finish(Epoch epoch, std::int64_t id);
  // An attempt failed. Without a time it is given up; checkpoints become PARTIALLY_DELETED if a task was at work on all
  // of their files.
  Task<Status> note_failure(Epoch epoch, std::int64_t id, std::string error, std::optional<WallTime> next_try);
  // Experiments in DELETING without a removal that is pending: true when none of theirs failed. At most kMostEmptied,
  // by their numbers, of those behind `after`.
  struct Emptied {
    model::ExperimentId experiment;
    bool is_clean = true;
  };
  static constexpr int kMostEmptied = 100;
  Task<Result<std::vector<Emptied>>> emptied(std::int64_t after = 0);

  // Projects and workspaces go with all that is in them. Begun here, carried out by the leader, who may be killed at
  // any time: what is left to do is what is left in the rows. Safe to repeat. True when nothing was in it and it is
  // gone already. kFailedPrecondition for what is immutable, or has experiments that nobody has stopped.
  Task<Result<bool>> begin_delete_project(model::ProjectId id);
  Task<Result<bool>> begin_delete_workspace(model::WorkspaceId id);

  // In the order of their numbers, at most kMostGoing of those behind `after`; so are workspaces.
  static constexpr int kMostGoing = 20;
  Task<Result<std::vector<GoingProject>>> going_projects(std::int64_t after = 0);
  // Of all its experiments up to this one the deletion has begun.
  Task<Status> note_begun(Epoch epoch, model::ProjectId id, model::ExperimentId up_to);
  // kFailedPrecondition where something was put in it meanwhile.
  Task<Status> finish_project(Epoch epoch, model::ProjectId id);
  Task<Status> give_up_project(Epoch epoch, model::ProjectId id, std::string why);
  Task<Result<std::vector<GoingWorkspace>>> going_workspaces(std::int64_t after = 0);
  // The rows of tasks that have ended, with their logs.
  Task<Status> remove_tasks(Epoch epoch, std::vector<std::string> ids);
  Task<Status> finish_workspace(Epoch epoch, model::WorkspaceId id);
  Task<Status> give_up_workspace(Epoch epoch, model::WorkspaceId id, std::string why);

  // What ended before this version.
  Task<Result<HeldExperiments>> held();
  // It is made subject to its policies. Returns how many experiments that are.
  Task<Result<std::int64_t>> release_held();
  // Model code that nothing refers to, that nobody uploaded or looked for in a day. Returns how many there were.
  Task<Result<std::int64_t>> sweep_model_definitions();

 private:
  pg::Pool& pool_;
  Turns previews_{1};  // by experiment
};

}  // namespace det::store
