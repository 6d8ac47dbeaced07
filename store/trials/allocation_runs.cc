#include "store/trials/allocation_runs.h"

#include <nlohmann/json.hpp>

#include "store/channels.h"

namespace det::store {
namespace {

// Index allocations_task_number_run_key, all of them.
const char* const kEndEarlier =
    "UPDATE allocations SET state = 'TERMINATED', ended_at = now() WHERE task_number = $1 AND run < $2 AND ended_at IS "
    "NULL";
// Each part of the account that the workspace names counts before the user's, that before the plan's, which is the
// cluster's. Who names no number runs as root, as in Determined; a name of another number is not taken over.
const char* const kInsert =
    "INSERT INTO allocations (id, task_number, trial_id, run, state, slots, owner_id, token_hash, user_token_hash, "
    "restore_steps, port_base, plan) VALUES ($1, $2, $3, $4, 'PENDING', $5, $6, decode($7, 'hex'), decode($8, 'hex'), "
    "$9, $10, $11::jsonb || coalesce((SELECT jsonb_build_object('account', jsonb_build_object('uid', "
    "coalesce(w.agent_uid, u.agent_uid, (d.account ->> 'uid')::int, 0), 'gid', "
    "coalesce(w.agent_gid, u.agent_gid, (d.account ->> 'gid')::int, 0), 'user', "
    "coalesce(w.agent_user, CASE WHEN w.agent_uid IS NULL THEN coalesce(u.agent_user, d.account ->> 'user', 'root') "
    "END, ''), 'group', "
    "coalesce(w.agent_group, CASE WHEN w.agent_gid IS NULL THEN coalesce(u.agent_group, d.account ->> 'group', 'root') "
    "END, ''))) FROM users u CROSS JOIN (SELECT $11::jsonb -> 'account' AS account) d "
    "LEFT JOIN workspaces w ON w.id = coalesce((SELECT p.workspace_id FROM trials t JOIN experiments e ON e.id = "
    "t.experiment_id JOIN projects p ON p.id = e.project_id WHERE t.id = $3), (SELECT workspace_id FROM "
    "standalone_tasks WHERE task_number = $2)) WHERE u.id = $6 AND num_nonnulls(u.agent_uid, w.agent_uid, w.agent_gid, "
    "w.agent_user, w.agent_group) > 0), '{}')) ON CONFLICT (id) DO UPDATE SET token_hash = excluded.token_hash, "
    "user_token_hash = "
    "excluded.user_token_hash WHERE allocations.ended_at IS NULL";
const char* const kEnd =
    "UPDATE allocations SET state = 'TERMINATED', ended_at = coalesce(ended_at, now()), exit_recorded = true, "
    "exit_reason = $3, exit_code = $4, exit_kind = $5 WHERE task_number = $1 AND run = $2 AND NOT exit_recorded "
    "RETURNING id";
const char* const kEndOpen =
    "UPDATE allocations SET state = 'TERMINATED', ended_at = now(), exit_recorded = true, exit_reason = $2 "
    "WHERE task_number = $1 AND ended_at IS NULL RETURNING id";
const char* const kInfraFailures =
    "SELECT count(*), min(ended_at), max(ended_at), (array_agg(exit_reason ORDER BY run DESC))[1] FROM allocations "
    "WHERE task_number = $1 AND exit_kind = 'INFRA_RESTART' AND ended_at >= $2";

const char* exit_word(ExitKind kind) {
  switch (kind) {
    case ExitKind::kNone:
      return "";
    case ExitKind::kRestart:
      return "RESTART";
    case ExitKind::kInfraRestart:
      return "INFRA_RESTART";
  }
  return "";
}

}  // namespace

Status start_allocation(pqxx::transaction_base& tx, const RunOwner& owner, const NewRun& run, const std::string& name) {
  if (run.run != owner.run && run.run != owner.run + 1) {
    return fail(ErrorCode::kFailedPrecondition, name + " is at run " + std::to_string(owner.run) + ": run " +
                                                    std::to_string(run.run) + " cannot start");
  }
  std::optional<std::int64_t> trial;
  if (owner.trial) trial = owner.trial->value;
  run_sql(tx, kEndEarlier, owner.task_number, run.run);
  run_sql(tx, kInsert, model::allocation_id(owner.task_id, run.run), owner.task_number, trial, run.run, run.slots,
          owner.user.value, run.token_hash, run.user_token_hash, run.plan.steps, run.plan.port_base,
          json_text(to_json(run.plan)));
  return {};
}

bool end_allocation(pqxx::transaction_base& tx, std::int64_t task_number, const TrialExit& exit) {
  const pqxx::result ended =
      run_sql(tx, kEnd, task_number, exit.run, exit.reason, exit.exit_code, exit_word(exit.kind));
  if (ended.empty()) return false;
  notify(tx, kAllocationEndChannel, as_text(ended[0][0]));
  return true;
}

void end_open_allocations(pqxx::transaction_base& tx, std::int64_t task_number, const std::string& reason) {
  for (const auto& row : run_sql(tx, kEndOpen, task_number, reason)) {
    notify(tx, kAllocationEndChannel, as_text(row[0]));
  }
}

InfraFailures infra_failures_of(pqxx::transaction_base& tx, std::int64_t task_number, WallTime since) {
  const pqxx::row row = run_sql1(tx, kInfraFailures, task_number, format_rfc3339_micros(since));
  InfraFailures failures;
  failures.count = row[0].as<int>();
  if (failures.count == 0) return failures;
  failures.first = as_time(row[1]);
  failures.last = as_time(row[2]);
  failures.last_reason = as_text(row[3]);
  return failures;
}

}  // namespace det::store
