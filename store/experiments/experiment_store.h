#pragma once

// Experiments: one row each, made by REST (before the object, found again by nonce) or by the reconciler (for an object
// that kubectl made, found again by uid). Belongs to the io thread; Pool outlives it. Missing rows are nothing for find
// and kNotFound "experiment '7' not found" for changes.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pg/pool.h"
#include "store/cluster/epoch.h"
#include "store/experiments/experiment_rows.h"

namespace det::store {

class ExperimentStore {
 public:
  explicit ExperimentStore(pg::Pool& pool) : pool_(pool) {}

  // Inserts the row, or returns the one with the same nonce, uid or external id, where these are given: calling it
  // again after any failure is safe. An empty nonce gets a fresh one.
  Task<Result<ExperimentRow>> insert(NewExperiment experiment);
  // Ties the row to its object. Idempotent; kNotFound for an unknown nonce, kFailedPrecondition when the row belongs to
  // an object with another uid.
  Task<Result<ExperimentRow>> adopt(std::string nonce, std::string uid, std::string ns, std::string name);

  // Removes the row of an object that could not be made. Rows that are tied to an object stay. Idempotent.
  Task<Status> discard(std::string nonce);

  Task<Result<std::optional<ExperimentRow>>> find(model::ExperimentId id);
  Task<Result<std::optional<ExperimentRow>>> find_by_uid(std::string uid);
  Task<Result<std::optional<NamedExperiment>>> find_named(model::ExperimentId id);
  Task<Result<std::optional<ExperimentView>>> view(model::ExperimentId id);
  // kInvalidArgument "offset out of bounds" when the page starts after the end.
  Task<Result<Paged<ExperimentView>>> list(ExperimentFilter filter);
  // The same in two steps, for lists that are longer than should be held: which they are, then those of a page, in the
  // order of `ids`, without those that are gone.
  Task<Result<Paged<model::ExperimentId>>> ids(ExperimentFilter filter);
  Task<Result<std::vector<ExperimentView>>> views(std::vector<std::int64_t> ids);
  // The same, for who may have them already.
  Task<Result<std::vector<UnreadExperimentView>>> unread_views(std::vector<std::int64_t> ids);

  // Moves from one of `from` to `to`; returns whether it did. A terminal state also sets the end time. The message says
  // why.
  Task<Result<bool>> transition(Epoch epoch, model::ExperimentId id, std::vector<model::ExperimentState> from,
                                model::ExperimentState to, std::string message);
  Task<Status> set_progress(model::ExperimentId id, double progress);
  Task<Status> patch(model::ExperimentId id, ExperimentPatch patch);
  // All labels afterwards. kNotFound when there is no such experiment.
  Task<Result<std::vector<std::string>>> put_label(model::ExperimentId id, std::string label);
  Task<Result<std::vector<std::string>>> remove_label(model::ExperimentId id, std::string label);
  Task<Status> set_archived(model::ExperimentId id, bool archived);
  // Deletes an experiment that has ended, with its trials, metrics and logs. Checkpoints stay known, without a trial,
  // because their files are still in somebody's storage; model code stays, because others may share it.
  // kFailedPrecondition for one that has not ended.
  Task<Status> remove(model::ExperimentId id);

  // Continuing what is over, in three steps around its objects, each of which is refused to whom another claim has
  // overtaken. First the row with the nonce that was read takes the next one; it keeps its object, whose uid (empty:
  // none) is the answer. kFailedPrecondition for one that is not over or has another nonce.
  Task<Result<std::string>> claim_to_continue(model::ExperimentId id, std::string nonce, std::string new_nonce);
  // When that object is gone: the row, which has the change's nonce, takes its configuration, and no object; it stays
  // over. kFailedPrecondition as before.
  Task<Status> prepare_to_continue(model::ExperimentId id, ContinuedExperiment change);
  // After its object was adopted: ACTIVE again, its searcher before its first event, its trials ACTIVE but for those
  // that completed (unless the searcher is `single`). kFailedPrecondition when it is not over or has another nonce.
  Task<Status> revive(model::ExperimentId id, std::string nonce);
  // How many there are in each state, by the state's text; states without any are absent.
  Task<Result<std::map<std::string, std::int64_t>>> count_by_state();
  // Names of what its trials (the first hundred) validated, at most twenty, sorted.
  Task<Result<std::vector<std::string>>> validation_metrics(model::ExperimentId id);
  // By the searcher's metric, of all trials; nothing while none has reported it.
  Task<Result<std::optional<BestTrial>>> best_trial(model::ExperimentId id);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
