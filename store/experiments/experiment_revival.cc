// ExperimentStore's part that brings back what is over.

#include "store/channels.h"
#include "store/experiments/experiment_store.h"
#include "store/sql.h"
#include "store/webhooks/webhook_events.h"

namespace det::store {
namespace {

const char* const kIsOver = "state IN ('COMPLETED', 'CANCELED', 'ERROR')";
// (With its own nonce: the same claim, made again.)
const char* const kClaim = "UPDATE experiments SET nonce = $3 WHERE id = $1 AND nonce IN ($2, $3) AND ";
// (What was changed while it ran is part of the new configuration.)
const char* const kPrepare =
    "UPDATE experiments SET uid = NULL, config = $3, original_config = $4, config_hash = $5, "
    "live = '{}' WHERE id = $1 AND nonce = $2 AND ";
const char* const kRevive =
    "UPDATE experiments SET state = 'ACTIVE', message = '', end_time = NULL, progress = 0 WHERE id = $1 AND nonce = $2 "
    "AND uid IS NOT NULL AND ";
// By this call, whose answer was lost.
const char* const kIsRevived =
    "SELECT 1 FROM experiments WHERE id = $1 AND nonce = $2 AND uid IS NOT NULL AND state = 'ACTIVE'";
const char* const kForgetTrialObjects = "UPDATE trials SET uid = NULL, is_closed = false WHERE experiment_id = $1";
// A single search has one trial, and goes on with it whatever it did.
const char* const kReviveTrials =
    "UPDATE trials SET state = 'ACTIVE', restarts = 0, infra_restarts = 0, end_time = NULL, exit_reason = '', "
    "early_exit "
    "= '', runner_state = '', progress = 0, work_length = NULL, work_is_last = false, work_settled = 0, work_completed "
    "= "
    "0, no_retry = '', log_policy_matched = '', warm_start_checkpoint = NULL "
    "WHERE experiment_id = $1 AND (state <> 'COMPLETED' OR (SELECT config #>> '{searcher,name}' = 'single' FROM "
    "experiments WHERE id = $1))";
const char* const kReviveTasks =
    "UPDATE tasks k SET end_time = NULL FROM trials t WHERE t.task_number = k.number AND t.experiment_id = $1 AND "
    "t.state = 'ACTIVE'";

Status not_over(model::ExperimentId id) {
  return fail(ErrorCode::kFailedPrecondition,
              "experiment '" + to_string(id) + "' is not over, or is being continued by another request");
}

}  // namespace

Task<Result<std::string>> ExperimentStore::claim_to_continue(model::ExperimentId id, std::string nonce,
                                                             std::string new_nonce) {
  auto body = [=](pg::Transaction& tx) -> Result<std::string> {
    const pqxx::result claimed =
        run_sql(tx, std::string(kClaim) + kIsOver + " RETURNING uid", id.value, nonce, new_nonce);
    if (claimed.empty()) return std::unexpected(not_over(id).error());
    return as_text(claimed[0][0]);
  };
  co_return co_await pool_.write("claim to continue", std::move(body));
}

Task<Status> ExperimentStore::prepare_to_continue(model::ExperimentId id, ContinuedExperiment change) {
  auto body = [id, c = std::move(change)](pg::Transaction& tx) -> Status {
    const auto changed = run_sql(tx, std::string(kPrepare) + kIsOver, id.value, c.nonce, json_text(c.config),
                                 c.original_config, c.config_hash);
    return changed.affected_rows() == 1 ? Status() : not_over(id);
  };
  co_return co_await pool_.write("prepare to continue", std::move(body));
}

Task<Status> ExperimentStore::revive(model::ExperimentId id, std::string nonce) {
  auto body = [id, nonce](pg::Transaction& tx) -> Status {
    const auto changed = run_sql(tx, std::string(kRevive) + kIsOver, id.value, nonce);
    if (changed.affected_rows() == 0) return run_sql(tx, kIsRevived, id.value, nonce).empty() ? not_over(id) : Status();
    // The search begins anew: the same seed gives the same trials again, which are there already.
    for (const char* table :
         {"searcher_events", "searcher_inbox", "searcher_news_keys", "searcher_snapshots", "custom_search_events"}) {
      run_sql(tx, "DELETE FROM " + std::string(table) + " WHERE experiment_id = $1", id.value);
    }
    for (const char* change : {kForgetTrialObjects, kReviveTrials, kReviveTasks}) run_sql(tx, change, id.value);
    notify(tx, kStateChannel, "e" + to_string(id));
    tell_state_change(tx, id);
    notify(tx, kSearcherChannel, to_string(id));
    return {};
  };
  co_return co_await pool_.write("revive experiment", std::move(body));
}

}  // namespace det::store
