#include "store/unmanaged/unmanaged_store.h"

#include "base/encoding.h"
#include "store/channels.h"
#include "store/checkpoints/latest_checkpoint.h"
#include "store/removals/removal_plan.h"
#include "store/sql.h"
#include "store/trials/allocation_runs.h"
#include "store/trials/trial_reader.h"
#include "store/trials/trial_runs.h"
#include "store/webhooks/webhook_events.h"

namespace det::store {
namespace {

using model::TrialState;

const char* const kSilence = "no heartbeat";
constexpr std::size_t kTokenBytes = 32;

const char* const kReplaceConfig =
    "UPDATE experiments SET config = $2, original_config = $3, config_hash = $4 WHERE id = $1 AND unmanaged";
// Everything that moves trials holds their experiment first: its state is made of theirs.
const char* const kLockExperiment =
    "SELECT unmanaged, state IN ('DELETING', 'DELETED') FROM experiments WHERE id = $1 FOR UPDATE";
const char* const kExperimentOf = "SELECT experiment_id FROM trials WHERE id = $1";
// Index trials_external_id.
const char* const kSame = "SELECT id FROM trials WHERE experiment_id = $1 AND external_id = $2";
const char* const kSetHparams = "UPDATE trials SET hparams = $2 WHERE id = $1";
// Indexes experiments_external_id, trials_external_id.
const char* const kFind =
    "SELECT t.id FROM experiments e JOIN trials t ON t.experiment_id = e.id WHERE e.external_id = $1 AND t.external_id "
    "= $2";
// By this call, whose answer was lost.
const char* const kIsStarted =
    "SELECT 1 FROM allocations WHERE task_number = $1 AND run = $2 AND token_hash = decode($3, 'hex')";
// Sums of what the trial measured are made again after it.
const char* const kActivate =
    "UPDATE trials SET state = 'ACTIVE', end_time = NULL, exit_reason = '', last_heartbeat = now(), summed_run = -1 "
    "WHERE id = $1";
const char* const kReopenTask = "UPDATE tasks SET end_time = NULL WHERE number = $1";
const char* const kOpenRun =
    "UPDATE allocations SET state = 'RUNNING', ready_at = coalesce(ready_at, now()), ended_at = NULL, exit_recorded = "
    "false, exit_reason = '' WHERE task_number = $1 AND run = $2";
const char* const kBeat = "UPDATE trials SET last_heartbeat = now() WHERE id = $1";
const char* const kEnd = "UPDATE trials SET state = $2, end_time = now(), exit_reason = $3 WHERE id = $1";
const char* const kEndTask = "UPDATE tasks SET end_time = now() WHERE number = $1";
const char* const kOpenTrials =
    "SELECT id FROM trials WHERE experiment_id = $1 AND state IN ('ACTIVE', 'PAUSED') ORDER BY id";
const char* const kCancel =
    "UPDATE experiments SET state = 'CANCELED', end_time = now() WHERE id = $1 AND state IN ('ACTIVE', 'PAUSED')";
// Index trials_heartbeats. Of experiments that somebody else moves at this moment the next call sees to it.
const char* const kSilentTrials =
    "SELECT t.id, t.experiment_id FROM trials t WHERE t.last_heartbeat < now() - make_interval(secs => $1) AND t.state "
    "= 'ACTIVE' ORDER BY t.experiment_id, t.id LIMIT 1000";
const char* const kIsSilent =
    "SELECT 1 FROM trials WHERE id = $1 AND state = 'ACTIVE' AND last_heartbeat < now() - make_interval(secs => $2)";
// As Determined has it: what runs counts before what completed, that before what failed.
const char* const kFollow =
    "WITH wanted AS (SELECT CASE WHEN bool_or(state = 'ACTIVE') THEN 'ACTIVE' WHEN bool_or(state = 'COMPLETED') THEN "
    "'COMPLETED' WHEN bool_or(state = 'ERROR') THEN 'ERROR' WHEN bool_and(state = 'CANCELED') THEN 'CANCELED' ELSE "
    "'PAUSED' END AS state, max(end_time) AS end_time FROM trials WHERE experiment_id = $1 HAVING count(*) > 0) "
    "UPDATE experiments e SET state = w.state, end_time = CASE WHEN w.state IN ('ACTIVE', 'PAUSED') THEN NULL ELSE "
    "coalesce(w.end_time, now()) END, progress = CASE WHEN w.state = 'COMPLETED' THEN 1 ELSE e.progress END "
    "FROM wanted w WHERE e.id = $1 AND e.state <> w.state RETURNING e.id";

void tell(pg::Transaction& tx, model::ExperimentId id) {
  notify(tx, kStateChannel, "e" + to_string(id));
  tell_state_change(tx, id);
}

void follow_trials(pg::Transaction& tx, model::ExperimentId id) {
  if (!run_sql(tx, kFollow, id.value).empty()) tell(tx, id);
}

// Holds the experiment's row. `what`: what is said where it is not an unmanaged one.
Status lock_experiment(pg::Transaction& tx, model::ExperimentId id, const char* what) {
  const pqxx::result found = run_sql(tx, kLockExperiment, id.value);
  if (found.empty()) return not_found("experiment", to_string(id));
  if (!found[0][0].as<bool>()) return fail(ErrorCode::kInvalidArgument, what);
  if (found[0][1].as<bool>()) {
    return fail(ErrorCode::kFailedPrecondition, "experiment " + to_string(id) + " is being deleted");
  }
  return {};
}

// The trial, with its experiment's row locked.
Result<TrialRow> lock(pg::Transaction& tx, model::TrialId id) {
  const pqxx::result of = run_sql(tx, kExperimentOf, id.value);
  if (of.empty()) return not_found("trial", to_string(id));
  DET_TRY(lock_experiment(tx, {of[0][0].as<std::int64_t>()}, "only unmanaged trials are supported"));
  auto trial = find_trial(tx, id);
  if (!trial) return not_found("trial", to_string(id));
  return std::move(*trial);
}

void end(pg::Transaction& tx, const TrialRow& trial, TrialState state, const std::string& reason) {
  run_sql(tx, kEnd, trial.id.value, word(state), reason);
  run_sql(tx, kEndTask, trial.task_number);
  if (trial.run > 0) {
    end_allocation(tx, trial.task_number, {.run = trial.run, .exit_code = std::nullopt, .reason = reason});
  }
  notify(tx, kStateChannel, "t" + to_string(trial.id));
}

void open(pg::Transaction& tx, const TrialRow& trial, int run) {
  run_sql(tx, kActivate, trial.id.value);
  run_sql(tx, kReopenTask, trial.task_number);
  run_sql(tx, kOpenRun, trial.task_number, run);
  notify(tx, kStateChannel, "t" + to_string(trial.id));
}

bool is_ended_for_silence(const TrialRow& trial) {
  return trial.state == TrialState::kError && trial.exit_reason == kSilence;
}

// Whether it changed the trial's state.
Result<bool> beat(pg::Transaction& tx, const TrialRow& trial, const std::optional<TrialState>& state) {
  if (trial.run == 0) {
    return fail(ErrorCode::kFailedPrecondition, "trial " + to_string(trial.id) + " was not started yet");
  }
  if (trial.state == TrialState::kCanceled && state != TrialState::kCanceled) {
    return fail(ErrorCode::kFailedPrecondition, "trial " + to_string(trial.id) + " was canceled");
  }
  if (state && model::is_terminal(*state)) {
    if (trial.state == *state) return false;
    end(tx, trial, *state, "");
    return true;
  }
  if (trial.state == TrialState::kActive) {
    run_sql(tx, kBeat, trial.id.value);
    return false;
  }
  if (!state && !is_ended_for_silence(trial)) return false;
  open(tx, trial, trial.run);
  return true;
}

}  // namespace

Task<Status> UnmanagedStore::replace_config(model::ExperimentId id, nlohmann::json config, std::string original,
                                            std::string hash) {
  auto body = [id, config = json_text(config), original, hash](pg::Transaction& tx) -> Status {
    return changed_one(run_sql(tx, kReplaceConfig, id.value, config, original, hash), "experiment", to_string(id));
  };
  co_return co_await pool_.write("replace configuration", std::move(body));
}

Task<Result<model::TrialId>> UnmanagedStore::put_trial(UnmanagedTrial trial) {
  NewTrial made{.experiment = trial.experiment,
                .request_id = uuid_v4(),
                .hparams = std::move(trial.hparams),
                .seed = 0,
                .state = TrialState::kPaused,
                .external_id = std::move(trial.external_id)};
  auto body = [made = std::move(made)](pg::Transaction& tx) -> Result<model::TrialId> {
    DET_TRY(lock_experiment(tx, made.experiment, "trials can only be created on unmanaged experiments"));
    const pqxx::result same = run_sql(tx, kSame, made.experiment.value, made.external_id);
    if (same.empty()) return insert_trial(tx, made).id;
    run_sql(tx, kSetHparams, same[0][0].as<std::int64_t>(), json_text(made.hparams));
    return model::TrialId{same[0][0].as<std::int64_t>()};
  };
  co_return co_await pool_.write("put unmanaged trial", std::move(body));
}

Task<Result<std::optional<model::TrialId>>> UnmanagedStore::find_external(std::string external_experiment,
                                                                          std::string external_trial) {
  auto body = [=](pg::Transaction& tx) -> Result<std::optional<model::TrialId>> {
    const pqxx::result found = run_sql(tx, kFind, external_experiment, external_trial);
    if (found.empty()) return std::nullopt;
    return model::TrialId{found[0][0].as<std::int64_t>()};
  };
  co_return co_await pool_.read("find unmanaged trial", std::move(body));
}

Task<Result<UnmanagedRun>> UnmanagedStore::start(model::TrialId id, bool resume) {
  // Nobody gets them: what the program says it says with its user's own token.
  const auto nobodys = [] { return sha256_hex(random_token(kTokenBytes)); };
  auto body = [id, resume, token = nobodys(), user = nobodys()](pg::Transaction& tx) -> Result<UnmanagedRun> {
    auto trial = lock(tx, id);
    DET_TRY(trial);
    const bool is_done = trial->run > 0 && !run_sql(tx, kIsStarted, trial->task_number, trial->run, token).empty();
    if (trial->run > 0 && !resume && !is_done) {
      return fail(ErrorCode::kInvalidArgument, "trial has already been started");
    }
    UnmanagedRun started{.run = is_done ? trial->run : trial->run + 1, .checkpoint = {}};
    if (const pqxx::result found = run_sql(tx, latest_of_trial(), id.value); !found.empty()) {
      started.checkpoint = as_text(found[0][0]);
      started.steps = found[0][1].as<std::int64_t>();
    }
    if (is_done) return started;
    if (!started.checkpoint.empty()) DET_TRY(hold_checkpoint(tx, started.checkpoint));
    const NewRun run{.run = started.run,
                     .slots = 0,
                     .token_hash = token,
                     .user_token_hash = user,
                     .plan = {.pods = 0, .slots_per_pod = 0, .checkpoint = {}, .steps = started.steps},
                     .limits = {}};
    DET_TRY(start_trial_run(tx, id, run, true));
    open(tx, *trial, started.run);
    follow_trials(tx, trial->experiment);
    return started;
  };
  co_return co_await pool_.write("start unmanaged trial", std::move(body));
}

Task<Status> UnmanagedStore::heartbeat(model::TrialId id, std::optional<TrialState> state) {
  auto body = [id, state](pg::Transaction& tx) -> Status {
    const auto trial = lock(tx, id);
    DET_TRY(trial);
    const auto changed = beat(tx, *trial, state);
    DET_TRY(changed);
    if (*changed) follow_trials(tx, trial->experiment);
    return {};
  };
  co_return co_await pool_.write("heartbeat", std::move(body));
}

Task<Status> UnmanagedStore::cancel(model::ExperimentId id) {
  auto body = [id](pg::Transaction& tx) -> Status {
    DET_TRY(lock_experiment(tx, id, "only unmanaged experiments are canceled here"));
    for (const auto& row : run_sql(tx, kOpenTrials, id.value)) {
      if (const auto trial = find_trial(tx, {row[0].as<std::int64_t>()})) end(tx, *trial, TrialState::kCanceled, "");
    }
    if (run_sql(tx, kCancel, id.value).affected_rows() > 0) tell(tx, id);
    return {};
  };
  co_return co_await pool_.write("cancel unmanaged experiment", std::move(body));
}

Task<Result<std::vector<SilentTrial>>> UnmanagedStore::end_silent(std::chrono::seconds silence) {
  const auto seconds = static_cast<double>(silence.count());
  auto body = [seconds](pg::Transaction& tx) -> Result<std::vector<SilentTrial>> {
    std::vector<SilentTrial> ended;
    for (const auto& row : run_sql(tx, kSilentTrials, seconds)) {
      const model::TrialId id{row[0].as<std::int64_t>()};
      const auto trial = lock(tx, id);
      // It may have been heard of while its experiment was held.
      if (!trial || run_sql(tx, kIsSilent, id.value, seconds).empty()) continue;
      end(tx, *trial, TrialState::kError, kSilence);
      follow_trials(tx, trial->experiment);
      ended.push_back({.trial = id, .task_id = trial->task_id});
    }
    return ended;
  };
  co_return co_await pool_.write("end silent trials", std::move(body));
}

}  // namespace det::store
