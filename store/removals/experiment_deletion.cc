#include "store/removals/experiment_deletion.h"

#include <string>
#include <vector>

#include "model/checkpoints/gc_plan.h"
#include "store/channels.h"
#include "store/registry/registered_checkpoints.h"
#include "store/removals/removal_plan.h"
#include "store/webhooks/webhook_events.h"

namespace det::store {
namespace {

const char* const kLock =
    "SELECT state, unmanaged, unmanaged AND coalesce(config #>> '{checkpoint_storage,type}' IN ('shared_fs', "
    "'directory'), false) FROM experiments WHERE id = $1 FOR UPDATE";
const char* const kForgetFailures = "DELETE FROM removals WHERE experiment_id = $1 AND state = 'FAILED'";
const char* const kSetDeleting = "UPDATE experiments SET state = 'DELETING', message = '' WHERE id = $1";
const char* const kAllOf =
    "SELECT c.uuid FROM checkpoints c JOIN trials t ON t.id = c.trial_id WHERE t.experiment_id = $1 AND c.state <> "
    "'DELETED' AND NOT ";
const char* const kHasRun =
    "SELECT 1 FROM allocations a JOIN trials t ON t.id = a.trial_id WHERE t.experiment_id = $1 AND a.ready_at IS NOT "
    "NULL LIMIT 1";

}  // namespace

Status begin_deletion(pqxx::transaction_base& tx, model::ExperimentId id) {
  const pqxx::result found = run_sql(tx, kLock, id.value);
  if (found.empty()) return not_found("experiment", to_string(id));
  const auto state = as_state(found[0][0], model::parse_experiment_state);
  // An unmanaged one is paused while no trial of it was started.
  const bool never_ran = found[0][1].as<bool>() && state == model::ExperimentState::kPaused;
  if (!model::is_terminal(state) && !never_ran) {
    return fail(ErrorCode::kFailedPrecondition, "Experiment is not in terminal state.");
  }
  if (state == model::ExperimentState::kDeleting) return {};
  if (const auto registered = registered_of(tx, id); !registered.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                "experiment " + to_string(id) + " has checkpoints in the model registry: " + versions_text(registered) +
                    ". Delete those versions first");
  }
  // Those that stayed without it could not be found by their trial any more, nor ever be deleted.
  DET_TRY(check_unneeded(tx, "experiment " + to_string(id), id));
  run_sql(tx, kForgetFailures, id.value);
  run_sql(tx, kSetDeleting, id.value);
  std::vector<std::string> uuids;
  for (const auto& row : run_sql(tx, std::string(kAllOf) + kIsBeingRemoved, id.value)) uuids.push_back(as_text(row[0]));
  // Programs write after they are ready, and a pod that finds nothing to remove might wait for slots for days. The
  // folders of trials that ran elsewhere no pod reaches.
  const bool is_elsewhere = found[0][2].as<bool>();
  if (!is_elsewhere && (!uuids.empty() || !run_sql(tx, kHasRun, id.value).empty())) {
    insert_removals(tx, {.experiment = id,
                         .uuids = std::move(uuids),
                         .globs = {model::kAllFiles},
                         .tensorboard = true,
                         .reason = "the experiment is being deleted"});
  }
  notify(tx, kStateChannel, "e" + to_string(id));
  tell_state_change(tx, id);
  notify(tx, kRemovalChannel, "");
  return {};
}

}  // namespace det::store
