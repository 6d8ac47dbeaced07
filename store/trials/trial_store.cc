#include "store/trials/trial_store.h"

#include "store/channels.h"
#include "store/trials/allocation_runs.h"
#include "store/trials/trial_list.h"
#include "store/trials/trial_reader.h"
#include "store/trials/trial_runs.h"

namespace det::store {
namespace {

const char* const kByRequest = "WHERE t.experiment_id = $1 AND t.request_id = $2";
const char* const kByTask = "WHERE k.id = $1";
const char* const kOfExperiment = "WHERE t.experiment_id = $1 ORDER BY t.id";

const char* const kSetUid =
    "UPDATE trials t SET uid = $2 FROM experiments e WHERE t.id = $1 AND e.id = t.experiment_id AND e.uid = $3";
const char* const kSetRunnerState = "UPDATE trials SET runner_state = $2 WHERE id = $1";
const char* const kSetEarlyExit =
    "UPDATE trials SET early_exit = $2 WHERE id = $1 AND state = ANY($3::text[]) RETURNING experiment_id";
const char* const kExcludeNode =
    "UPDATE trials SET excluded_nodes = excluded_nodes || jsonb_build_array(jsonb_build_object('node', $2::text, "
    "'why', $3::text)), log_policy_matched = $4 WHERE id = $1 AND NOT excluded_nodes @> "
    "jsonb_build_array(jsonb_build_object('node', $2::text))";
const char* const kCancelRetries =
    "UPDATE trials SET no_retry = $2, log_policy_matched = $3 WHERE id = $1 AND no_retry = ''";
const char* const kSetLogPolicy =
    "UPDATE trials SET log_policy_matched = $2 WHERE id = $1 AND log_policy_matched <> $2";
const char* const kTransition =
    "UPDATE trials SET state = $3, exit_reason = $4, end_time = CASE WHEN $5 THEN coalesce(end_time, now()) ELSE "
    "end_time END "
    "WHERE id = $1 AND state = ANY($2::text[])";
const char* const kEndTask =
    "UPDATE tasks k SET end_time = coalesce(k.end_time, now()) FROM trials t WHERE t.id = $1 AND k.number = "
    "t.task_number";

const char* const kTaskOf = "SELECT task_number FROM trials WHERE id = $1";
// Index trials_open.
const char* const kOpenOfExperiment = "WHERE t.experiment_id = $1 AND NOT t.is_closed ORDER BY t.id";
const char* const kFirstFailed = "WHERE t.experiment_id = $1 AND t.state = 'ERROR' ORDER BY t.id LIMIT 1";
const char* const kCounts = "SELECT state, count(*) FROM trials WHERE experiment_id = $1 GROUP BY state";
const char* const kNumbers = "SELECT request_id, id FROM trials WHERE experiment_id = $1";
const char* const kCountExit =
    "UPDATE trials SET restarts = restarts + $2, infra_restarts = infra_restarts + $3, exit_reason = $4 WHERE id = $1";

template <typename... Args>
Result<std::optional<TrialRow>> find_one(pg::Transaction& tx, const char* where, const Args&... args) {
  const pqxx::result found = run_sql(tx, select_trials() + where, args...);
  if (found.empty()) return std::nullopt;
  return read_trial(found[0]);
}

Result<std::vector<TrialRow>> read_all(pg::Transaction& tx, const char* where, model::ExperimentId experiment) {
  std::vector<TrialRow> trials;
  for (const auto& row : run_sql(tx, select_trials() + where, experiment.value)) trials.push_back(read_trial(row));
  return trials;
}

std::vector<model::TrialState> alive_states() {
  using enum model::TrialState;
  return {kActive, kPaused, kStoppingCompleted, kStoppingCanceled, kStoppingKilled, kStoppingError};
}

std::optional<std::int64_t> task_of(pg::Transaction& tx, model::TrialId id) {
  const pqxx::result task = run_sql(tx, kTaskOf, id.value);
  if (task.empty()) return std::nullopt;
  return task[0][0].as<std::int64_t>();
}

// Once per run.
void close_run(pg::Transaction& tx, model::TrialId id, std::int64_t task, const TrialExit& exit) {
  if (!end_allocation(tx, task, exit)) return;
  run_sql(tx, kCountExit, id.value, exit.kind == ExitKind::kRestart ? 1 : 0,
          exit.kind == ExitKind::kInfraRestart ? 1 : 0, exit.reason);
}

Result<bool> move_trial(pg::Transaction& tx, model::TrialId id, const std::vector<model::TrialState>& from,
                        model::TrialState to, const std::string& reason) {
  const bool terminal = model::is_terminal(to);
  const pqxx::result moved = run_sql(tx, kTransition, id.value, word_array(from), word(to), reason, terminal);
  if (moved.affected_rows() == 1) {
    if (terminal) run_sql(tx, kEndTask, id.value);
    notify(tx, kStateChannel, "t" + to_string(id));
    return true;
  }
  if (!find_trial(tx, id)) return not_found("trial", to_string(id));
  return false;
}

}  // namespace

Task<Result<TrialRow>> TrialStore::insert(Epoch epoch, NewTrial trial) {
  auto body = [epoch, trial = std::move(trial)](pg::Transaction& tx) -> Result<TrialRow> {
    DET_TRY(check_epoch(tx, epoch));
    return insert_trial(tx, trial);
  };
  co_return co_await pool_.write("insert trial", std::move(body));
}

Task<Result<std::optional<TrialRow>>> TrialStore::find(model::TrialId id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::optional<TrialRow>> { return find_trial(tx, id); };
  co_return co_await pool_.read("find trial", std::move(body));
}

Task<Result<std::optional<TrialRow>>> TrialStore::find_by_request(model::ExperimentId experiment,
                                                                  std::string request_id) {
  auto body = [=](pg::Transaction& tx) { return find_one(tx, kByRequest, experiment.value, request_id); };
  co_return co_await pool_.read("find trial", std::move(body));
}

Task<Result<std::optional<TrialRow>>> TrialStore::find_by_task(std::string task_id) {
  auto body = [task_id](pg::Transaction& tx) { return find_one(tx, kByTask, task_id); };
  co_return co_await pool_.read("find trial", std::move(body));
}

Task<Result<std::vector<TrialRow>>> TrialStore::of_experiment(model::ExperimentId experiment) {
  auto body = [experiment](pg::Transaction& tx) { return read_all(tx, kOfExperiment, experiment); };
  co_return co_await pool_.read("trials of experiment", std::move(body));
}

Task<Result<std::vector<TrialRow>>> TrialStore::open_of_experiment(model::ExperimentId experiment) {
  auto body = [experiment](pg::Transaction& tx) { return read_all(tx, kOpenOfExperiment, experiment); };
  co_return co_await pool_.read("open trials of experiment", std::move(body));
}

Task<Result<std::optional<TrialRow>>> TrialStore::first_failed(model::ExperimentId experiment) {
  auto body = [experiment](pg::Transaction& tx) { return find_one(tx, kFirstFailed, experiment.value); };
  co_return co_await pool_.read("first failed trial", std::move(body));
}

Task<Result<TrialCounts>> TrialStore::counts(model::ExperimentId experiment) {
  auto body = [experiment](pg::Transaction& tx) -> Result<TrialCounts> {
    TrialCounts counts;
    for (const auto& row : run_sql(tx, kCounts, experiment.value)) {
      if (const auto state = model::parse_trial_state(row[0].c_str())) counts.add(*state, row[1].as<std::int64_t>());
    }
    return counts;
  };
  co_return co_await pool_.read("count trials", std::move(body));
}

Task<Result<std::unordered_map<std::string, model::TrialId>>> TrialStore::numbers(model::ExperimentId experiment) {
  auto body = [experiment](pg::Transaction& tx) -> Result<std::unordered_map<std::string, model::TrialId>> {
    std::unordered_map<std::string, model::TrialId> numbers;
    for (const auto& row : run_sql(tx, kNumbers, experiment.value)) {
      numbers.emplace(row[0].c_str(), model::TrialId{row[1].as<std::int64_t>()});
    }
    return numbers;
  };
  co_return co_await pool_.read("trial numbers", std::move(body));
}

Task<Result<std::optional<TrialView>>> TrialStore::view(model::TrialId id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::optional<TrialView>> {
    auto views = read_trial_views(tx, run_sql(tx, select_trial_views("SELECT $1::bigint"), id.value));
    if (views.empty()) return std::nullopt;
    return std::move(views.front());
  };
  co_return co_await pool_.read("view trial", std::move(body));
}

Task<Result<std::vector<TrialView>>> TrialStore::views(std::vector<std::int64_t> ids) {
  auto body = [list = int_array(ids)](pg::Transaction& tx) -> Result<std::vector<TrialView>> {
    return read_trial_views(tx, run_sql(tx, select_trial_views("SELECT unnest($1::bigint[])"), list));
  };
  co_return co_await pool_.read("view trials", std::move(body));
}

Task<Result<Paged<TrialView>>> TrialStore::list(TrialQuery query) {
  auto body = [q = std::move(query)](pg::Transaction& tx) { return list_trials(tx, q); };
  co_return co_await pool_.read("list trials", std::move(body));
}

Task<Result<Paged<std::int64_t>>> TrialStore::list_ids(TrialQuery query) {
  auto body = [q = std::move(query)](pg::Transaction& tx) { return list_trial_ids(tx, q); };
  co_return co_await pool_.read("list trials", std::move(body));
}

Task<Status> TrialStore::set_uid(model::TrialId id, std::string uid, std::string owner) {
  auto body = [=](pg::Transaction& tx) -> Status {
    if (run_sql(tx, kSetUid, id.value, uid, owner).affected_rows() == 1) return {};
    return fail(ErrorCode::kAborted, "the experiment of trial " + to_string(id) + " has another object by now");
  };
  co_return co_await pool_.write("set trial uid", std::move(body));
}

Task<Result<bool>> TrialStore::transition(Epoch epoch, model::TrialId id, std::vector<model::TrialState> from,
                                          model::TrialState to, std::string reason) {
  auto body = [=](pg::Transaction& tx) -> Result<bool> {
    DET_TRY(check_epoch(tx, epoch));
    return move_trial(tx, id, from, to, reason);
  };
  co_return co_await pool_.write("move trial", std::move(body));
}

Task<Result<bool>> TrialStore::end(Epoch epoch, model::TrialId id, TrialEnd end) {
  if (!model::is_terminal(end.state)) {
    co_return fail(ErrorCode::kInvalidArgument, std::string(to_string(end.state)) + " is not the end of a trial");
  }
  auto body = [epoch, id, end = std::move(end)](pg::Transaction& tx) -> Result<bool> {
    DET_TRY(check_epoch(tx, epoch));
    const auto task = task_of(tx, id);
    if (task && end.run) close_run(tx, id, *task, *end.run);
    const auto moved = move_trial(tx, id, alive_states(), end.state, end.reason);
    DET_TRY(moved);
    if (*moved) end_open_allocations(tx, task.value(), end.reason);
    return moved;
  };
  co_return co_await pool_.write("end trial", std::move(body));
}

Task<Status> TrialStore::start_run(Epoch epoch, model::TrialId id, NewRun run) {
  auto body = [epoch, id, run = std::move(run)](pg::Transaction& tx) -> Status {
    if (Status status = check_epoch(tx, epoch); !status) return status;
    return start_trial_run(tx, id, run, false);
  };
  co_return co_await pool_.write("start run", std::move(body));
}

Task<Status> TrialStore::record_exit(Epoch epoch, model::TrialId id, TrialExit exit) {
  auto body = [epoch, id, exit = std::move(exit)](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    if (const auto task = task_of(tx, id)) close_run(tx, id, *task, exit);
    return {};
  };
  co_return co_await pool_.write("record exit", std::move(body));
}

Task<Result<std::vector<OpenRun>>> TrialStore::open_runs(model::ExperimentId experiment) {
  auto body = [experiment](pg::Transaction& tx) -> Result<std::vector<OpenRun>> {
    return read_open_runs(tx, experiment.value);
  };
  co_return co_await pool_.read("open runs", std::move(body));
}

Task<Result<InfraFailures>> TrialStore::infra_failures(model::TrialId id, WallTime since) {
  auto body = [=](pg::Transaction& tx) -> Result<InfraFailures> {
    const auto task = task_of(tx, id);
    return task ? infra_failures_of(tx, *task, since) : InfraFailures();
  };
  co_return co_await pool_.read("infrastructure failures", std::move(body));
}

Task<Result<bool>> TrialStore::note_log_verdict(model::TrialId id, LogVerdictChange change) {
  auto body = [=](pg::Transaction& tx) -> Result<bool> {
    if (!change.excluded_node.empty()) {
      return run_sql(tx, kExcludeNode, id.value, change.excluded_node, change.why, change.policy).affected_rows() > 0;
    }
    if (change.cancels_retries) {
      return run_sql(tx, kCancelRetries, id.value, change.why, change.policy).affected_rows() > 0;
    }
    return run_sql(tx, kSetLogPolicy, id.value, change.policy).affected_rows() > 0;
  };
  co_return co_await pool_.write("note log policy", std::move(body));
}

Task<Status> TrialStore::set_runner_state(model::TrialId id, std::string state) {
  auto body = [=](pg::Transaction& tx) {
    return changed_one(run_sql(tx, kSetRunnerState, id.value, state), "trial", to_string(id));
  };
  co_return co_await pool_.write("set runner state", std::move(body));
}

Task<Status> TrialStore::set_early_exit(model::TrialId id, std::string reason) {
  auto body = [=](pg::Transaction& tx) -> Status {
    const pqxx::result noted = run_sql(tx, kSetEarlyExit, id.value, reason, word_array(alive_states()));
    if (!noted.empty()) {
      notify(tx, kSearcherChannel, as_text(noted[0][0]));
      return {};
    }
    if (!find_trial(tx, id)) return not_found("trial", to_string(id));
    return {};  // it is over
  };
  co_return co_await pool_.write("set early exit", std::move(body));
}

}  // namespace det::store
