#include "store/trials/trial_runs.h"

#include "store/channels.h"
#include "store/removals/removal_plan.h"
#include "store/sql.h"
#include "store/trials/allocation_runs.h"

namespace det::store {
namespace {

const char* const kLock =
    "SELECT k.id, k.number, t.run, e.owner_id, t.state IN ('COMPLETED', 'CANCELED', 'ERROR') FROM trials t JOIN tasks "
    "k ON k.number = t.task_number JOIN experiments "
    "e ON e.id = t.experiment_id WHERE t.id = $1 FOR UPDATE OF t";
// Two trials of one experiment that start at the same moment must see each other.
const char* const kLockExperiment =
    "SELECT e.id FROM experiments e JOIN trials t ON t.experiment_id = e.id WHERE t.id = $1 FOR UPDATE OF e";
const char* const kOpenRuns =  // index allocations_open
    "SELECT t.id, a.slots FROM trials t JOIN allocations a ON a.trial_id = t.id AND a.ended_at IS NULL "
    "WHERE t.experiment_id = $1 ORDER BY a.created_at, t.id";
const char* const kSetRun = "UPDATE trials SET run = $2 WHERE id = $1";
const char* const kSetWarmStart =
    "UPDATE trials SET warm_start_checkpoint = $2 WHERE id = $1 AND warm_start_checkpoint IS NULL";
// A run that starts from an older checkpoint makes reports invisible, perhaps the best one.
const char* const kRecomputeBest =
    "UPDATE trials SET (best_steps, best_metric, best_rank) = ("
    "SELECT m.steps, v.metric, CASE WHEN e.smaller_is_better THEN v.metric ELSE -v.metric END AS rank "
    "FROM experiments e JOIN visible_series s ON s.trial_id = trials.id AND s.grp = 'validation' "
    "JOIN metric_names n ON n.id = s.names_id JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps "
    "CROSS JOIN LATERAL (SELECT m.values[array_position(n.names, e.searcher_metric)] AS metric) v "
    "WHERE e.id = trials.experiment_id AND v.metric IS NOT NULL ORDER BY rank, m.steps LIMIT 1) WHERE id = $1";

// kResourceExhausted when the limits leave no room; otherwise nobody else of the experiment starts until the commit.
Status check_limits(pg::Transaction& tx, model::TrialId id, const NewRun& run) {
  if (!run.limits.any()) return {};
  const pqxx::result locked = run_sql(tx, kLockExperiment, id.value);
  if (locked.empty()) return not_found("trial", to_string(id));
  std::string why = over_limit(run.limits, read_open_runs(tx, locked[0][0].as<std::int64_t>()), id, run.slots);
  return why.empty() ? Status() : fail(ErrorCode::kResourceExhausted, std::move(why));
}

}  // namespace

std::vector<OpenRun> read_open_runs(pg::Transaction& tx, std::int64_t experiment) {
  std::vector<OpenRun> open;
  for (const auto& row : run_sql(tx, kOpenRuns, experiment)) {
    open.push_back({.trial = {row[0].as<std::int64_t>()}, .slots = row[1].as<int>()});
  }
  return open;
}

Status start_trial_run(pg::Transaction& tx, model::TrialId id, const NewRun& run, bool revives) {
  if (Status status = check_limits(tx, id, run); !status) return status;
  const pqxx::result locked = run_sql(tx, kLock, id.value);
  if (locked.empty()) return not_found("trial", to_string(id));
  // Ended meanwhile, as by the deletion of its object: nobody would look after the run.
  if (!revives && locked[0][4].as<bool>()) {
    return fail(ErrorCode::kFailedPrecondition, "trial " + to_string(id) + " is over");
  }
  const RunOwner owner{.task_id = as_text(locked[0][0]),
                       .task_number = locked[0][1].as<std::int64_t>(),
                       .run = locked[0][2].as<int>(),
                       .user = {locked[0][3].as<std::int64_t>()},
                       .trial = id};
  if (!run.plan.checkpoint.empty()) DET_TRY(hold_checkpoint(tx, run.plan.checkpoint));
  DET_TRY(start_allocation(tx, owner, run, "trial " + to_string(id)));
  if (run.run > owner.run) {
    run_sql(tx, kSetRun, id.value, run.run);
    if (run.plan.starts_warm) run_sql(tx, kSetWarmStart, id.value, run.plan.checkpoint);
    if (owner.run > 0) run_sql(tx, kRecomputeBest, id.value);
    notify(tx, kStateChannel, "t" + to_string(id));
  }
  return {};
}

}  // namespace det::store
