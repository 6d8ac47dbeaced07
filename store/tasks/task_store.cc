#include "store/tasks/task_store.h"

#include "base/encoding.h"
#include "base/json_get.h"
#include "store/channels.h"
#include "store/sql.h"
#include "store/tasks/task_family_store.h"
#include "store/trials/allocation_reader.h"
#include "store/trials/allocation_runs.h"

namespace det::store {
namespace {

using nlohmann::json;

// Configurations have megabytes; of these parts each is a word or two.
const char* const kListedConfig =
    "jsonb_strip_nulls(jsonb_build_object('resources', jsonb_build_object('resource_pool', s.config #> "
    "'{resources,resource_pool}'), 'idle_timeout', s.config -> 'idle_timeout'))";

std::string columns(const std::string& config, const std::string& submitted) {
  return "k.id, s.task_number, k.type, s.nonce, s.uid, s.namespace, s.object_name, s.owner_id, u.username, "
         "u.display_name, s.workspace_id, w.name, s.job_id, s.state, s.description, " +
         config +
         ", s.config_hash, s.priority, s.context_kind, s.context_sha256, array_to_json(s.experiment_ids), "
         "array_to_json(s.trial_ids), s.access, s.run, s.infra_restarts, s.exit_reason, s.exit_code, k.start_time, "
         "k.end_time, " +
         submitted + ", s.active_at, s.parent_id, s.forked_from, s.no_pause, s.followed_priority";
}
const std::string kColumns = columns("s.config", "s.submitted");
constexpr int kTaskColumns = 35;
const char* const kFrom =
    " FROM standalone_tasks s JOIN tasks k ON k.number = s.task_number JOIN users u ON u.id = s.owner_id JOIN "
    "workspaces w ON w.id = s.workspace_id ";
// Index allocations_task_number_run_key.
const char* const kJoinRun =
    "LEFT JOIN allocations a ON a.task_number = s.task_number AND a.run = s.run LEFT JOIN trials t ON t.id = "
    "a.trial_id ";
const char* const kByNonce = "WHERE s.nonce = $1";
const char* const kByUid = "WHERE s.uid = $1";
const char* const kById = "WHERE k.id = $1";
// Empty parameters do not filter.
const char* const kFiltered =
    "(k.type = $1 OR $1 = '') AND (cardinality($2::text[]) + cardinality($3::bigint[]) = 0 OR u.username = "
    "ANY($2::text[]) OR u.id = ANY($3::bigint[])) AND (s.workspace_id = $4 OR $4::bigint IS NULL) AND "
    "($5::bigint[] IS NULL OR s.workspace_id = ANY($5::bigint[])) ORDER BY s.task_number";
// Indexes standalone_tasks_open, tasks_ended.
const char* const kNotEndedBefore =
    "s.task_number = ANY(ARRAY(SELECT task_number FROM standalone_tasks WHERE state IN ('ACTIVE', 'PAUSED') UNION ALL "
    "SELECT number FROM tasks WHERE type <> 'TRIAL' AND end_time >= $6::timestamptz)) AND ";
const char* const kOpen = "WHERE s.state IN ('ACTIVE', 'PAUSED') ORDER BY s.task_number";  // standalone_tasks_open
const char* const kCountRunning =
    "SELECT k.type, count(*) FROM standalone_tasks s JOIN tasks k ON k.number = s.task_number JOIN allocations a ON "
    "a.task_number = s.task_number AND a.run = s.run WHERE s.state IN ('ACTIVE', 'PAUSED') AND a.ended_at IS NULL AND "
    "a.state = 'RUNNING' GROUP BY k.type";

const char* const kInsertTask = "INSERT INTO tasks (id, type) VALUES ($1, $2) RETURNING number";
const char* const kInsert =
    "INSERT INTO standalone_tasks (task_number, nonce, uid, namespace, object_name, owner_id, workspace_id, state, "
    "description, config, config_hash, context_kind, context_sha256, experiment_ids, trial_ids, access, submitted, "
    "parent_id, forked_from, no_pause) VALUES ($1, $2, nullif($3, ''), $4, $5, $6, $7, $8, $9, $10, $11, $12, "
    "nullif($13, ''), $14, $15, $16, $17, nullif($18, ''), nullif($19, ''), $20)";
const char* const kSame = "WHERE s.nonce = $1 OR (s.uid = $2 AND $2 <> '')";
const char* const kAdopt =
    "UPDATE standalone_tasks SET uid = $2, namespace = $3, object_name = $4 WHERE nonce = $1 AND coalesce(uid, $2) = "
    "$2";
const char* const kDiscard = "DELETE FROM standalone_tasks WHERE nonce = $1 AND uid IS NULL RETURNING task_number";
const char* const kDeleteTask = "DELETE FROM tasks WHERE number = $1";

const char* const kLock =
    "SELECT s.run, s.task_number, s.owner_id FROM standalone_tasks s JOIN tasks k ON k.number = s.task_number WHERE "
    "k.id = $1 FOR UPDATE OF s";
const char* const kIsOver = "SELECT state NOT IN ('ACTIVE', 'PAUSED') FROM standalone_tasks WHERE task_number = $1";
const char* const kSetRun = "UPDATE standalone_tasks SET run = $2 WHERE task_number = $1";
const char* const kCountExit =
    "UPDATE standalone_tasks SET infra_restarts = infra_restarts + $2, exit_reason = $3, exit_code = $4 WHERE "
    "task_number = $1";
const char* const kEnd =
    "UPDATE standalone_tasks SET state = $2, exit_reason = $3 WHERE task_number = $1 AND state IN ('ACTIVE', "
    "'PAUSED')";
const char* const kEndTask = "UPDATE tasks SET end_time = coalesce(end_time, now()) WHERE number = $1";
const char* const kSetPriority =
    "UPDATE standalone_tasks s SET priority = $2 FROM tasks k WHERE k.number = s.task_number AND k.id = $1";
const char* const kFollowPriority =
    "UPDATE standalone_tasks s SET priority = $2, followed_priority = $2 FROM tasks k WHERE k.number = "
    "s.task_number AND k.id = $1";
const char* const kSetDescription =
    "UPDATE standalone_tasks s SET description = $2 FROM tasks k WHERE k.number = s.task_number AND k.id = $1";
const char* const kNoteActive =
    "UPDATE standalone_tasks s SET active_at = greatest(s.active_at, $2::timestamptz) FROM tasks k WHERE k.number = "
    "s.task_number AND k.id = $1";
const char* const kPause =
    "UPDATE standalone_tasks s SET state = $2 FROM tasks k WHERE k.number = s.task_number AND k.id = $1 AND s.state = "
    "$3";
const char* const kNumberOf = "SELECT number FROM tasks WHERE id = $1";

json access_json(const TaskAccess& access) {
  json json = json::object();
  if (!access.token.empty()) json["token"] = access.token;
  if (!access.private_key.empty()) json["private_key"] = access.private_key;
  if (!access.public_key.empty()) json["public_key"] = access.public_key;
  return json;
}

TaskAccess read_access(const json& json) {
  return {.token = get_string(json, "token"),
          .private_key = get_string(json, "private_key"),
          .public_key = get_string(json, "public_key")};
}

TaskRow read_task(const pqxx::row& row) {
  TaskRow task;
  task.id = as_text(row[0]);
  task.number = row[1].as<std::int64_t>();
  task.type = as_text(row[2]);
  task.nonce = as_text(row[3]);
  task.uid = as_text(row[4]);
  task.ns = as_text(row[5]);
  task.name = as_text(row[6]);
  task.owner = {row[7].as<std::int64_t>()};
  task.username = as_text(row[8]);
  task.display_name = as_text(row[9]);
  task.workspace = {row[10].as<std::int64_t>()};
  task.workspace_name = as_text(row[11]);
  task.job_id = as_text(row[12]);
  task.state = as_state(row[13], model::parse_task_state);
  task.description = as_text(row[14]);
  task.config = as_json(row[15]);
  task.config_hash = as_text(row[16]);
  task.priority = as_optional<int>(row[17]);
  task.context = {.kind = as_text(row[18]), .sha256 = as_text(row[19])};
  task.experiments = as_json(row[20]).get<std::vector<std::int64_t>>();
  task.trials = as_json(row[21]).get<std::vector<std::int64_t>>();
  task.access = read_access(as_json(row[22]));
  task.run = row[23].as<int>();
  task.infra_restarts = row[24].as<int>();
  task.exit_reason = as_text(row[25]);
  task.exit_code = as_optional<int>(row[26]);
  task.start_time = as_time(row[27]);
  task.end_time = as_optional_time(row[28]);
  if (!row[29].is_null()) task.submitted = as_json(row[29]);
  task.active_at = as_optional_time(row[30]);
  task.followed_priority = as_optional<int>(row[34]);
  task.kin = {.parent = as_text(row[31]), .forked_from = as_text(row[32]), .no_pause = as_optional<bool>(row[33])};
  return task;
}

TaskRun read_task_run(const pqxx::row& row) {
  TaskRun run{.task = read_task(row), .allocation = std::nullopt, .resources = {}};
  if (row[kTaskColumns].is_null()) return run;
  run.allocation = read_allocation(row, kTaskColumns);
  run.resources = read_resources(as_json(row[kTaskColumns + kAllocationColumns]));
  return run;
}

std::string select_runs(const std::string& task_columns = kColumns) {
  return "SELECT " + task_columns + ", " + allocation_columns() + ", " + pods_of_allocation() + kFrom + kJoinRun;
}

template <typename... Args>
Result<std::optional<TaskRow>> find_one(pg::Transaction& tx, const char* where, const Args&... args) {
  const pqxx::result found = run_sql(tx, "SELECT " + kColumns + kFrom + where, args...);
  if (found.empty()) return std::nullopt;
  return read_task(found[0]);
}

template <typename... Args>
std::vector<TaskRun> read_runs(pg::Transaction& tx, const std::string& statement, const Args&... args) {
  std::vector<TaskRun> runs;
  for (const auto& row : run_sql(tx, statement, args...)) runs.push_back(read_task_run(row));
  return runs;
}

Result<RunOwner> lock(pg::Transaction& tx, const std::string& id) {
  const pqxx::result found = run_sql(tx, kLock, id);
  if (found.empty()) return not_found("task", id);
  return RunOwner{.task_id = id,
                  .task_number = found[0][1].as<std::int64_t>(),
                  .run = found[0][0].as<int>(),
                  .user = {found[0][2].as<std::int64_t>()},
                  .trial = std::nullopt};
}

// Once per run.
void close_run(pg::Transaction& tx, std::int64_t number, const TrialExit& exit) {
  if (!end_allocation(tx, number, exit)) return;
  run_sql(tx, kCountExit, number, exit.kind == ExitKind::kInfraRestart ? 1 : 0, exit.reason, exit.exit_code);
}

}  // namespace

Result<TaskRow> insert_task(pg::Transaction& tx, const NewTask& t) {
  auto known = find_one(tx, kSame, t.nonce, t.uid);
  DET_TRY(known);
  if (*known) return std::move(**known);
  const auto number = run_sql1(tx, kInsertTask, t.id, t.type)[0].as<std::int64_t>();
  run_sql(tx, kInsert, number, t.nonce, t.uid, t.ns, t.name, t.owner.value, t.workspace.value, word(t.state),
          t.description, json_text(t.config), t.config_hash, t.context.kind, t.context.sha256, int_array(t.experiments),
          int_array(t.trials), json_text(access_json(t.access)), json_text(t.submitted), t.kin.parent,
          t.kin.forked_from, t.kin.no_pause);
  auto made = find_one(tx, kByNonce, t.nonce);
  DET_TRY(made);
  return std::move(**made);
}

Task<Result<TaskRow>> TaskStore::insert(NewTask task) {
  if (task.nonce.empty()) task.nonce = uuid_v4();
  auto body = [task = std::move(task)](pg::Transaction& tx) -> Result<TaskRow> {
    if (!task.kin.parent.empty()) DET_TRY(check_parent(tx, task.kin.parent));
    return insert_task(tx, task);
  };
  co_return co_await pool_.write("insert task", std::move(body));
}

Task<Result<TaskRow>> TaskStore::adopt(std::string nonce, std::string uid, std::string ns, std::string name) {
  auto body = [=](pg::Transaction& tx) -> Result<TaskRow> {
    run_sql(tx, kAdopt, nonce, uid, ns, name);
    auto row = find_one(tx, kByNonce, nonce);
    DET_TRY(row);
    if (!*row) return not_found("task with nonce", nonce);
    if ((*row)->uid == uid) return std::move(**row);
    return fail(ErrorCode::kFailedPrecondition,
                "task " + (*row)->id + " belongs to the object with uid " + (*row)->uid + ", not to " + uid);
  };
  co_return co_await pool_.write("adopt task", std::move(body));
}

Task<Status> TaskStore::discard(std::string nonce) {
  auto body = [nonce](pg::Transaction& tx) -> Status {
    for (const auto& row : run_sql(tx, kDiscard, nonce)) run_sql(tx, kDeleteTask, row[0].as<std::int64_t>());
    return {};
  };
  co_return co_await pool_.write("discard task", std::move(body));
}

Task<Result<std::optional<TaskRow>>> TaskStore::find(std::string id) {
  auto body = [id](pg::Transaction& tx) { return find_one(tx, kById, id); };
  co_return co_await pool_.read("find task", std::move(body));
}

Task<Result<std::optional<TaskRow>>> TaskStore::find_by_uid(std::string uid) {
  auto body = [uid](pg::Transaction& tx) { return find_one(tx, kByUid, uid); };
  co_return co_await pool_.read("find task", std::move(body));
}

Task<Result<std::optional<TaskRun>>> TaskStore::run_of(std::string id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::optional<TaskRun>> {
    std::vector<TaskRun> found = read_runs(tx, select_runs() + kById, id);
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
  };
  co_return co_await pool_.read("find task's run", std::move(body));
}

Task<Result<std::vector<TaskRun>>> TaskStore::list(TaskFilter filter) {
  auto body = [f = std::move(filter)](pg::Transaction& tx) -> Result<std::vector<TaskRun>> {
    std::optional<std::int64_t> workspace;
    if (f.workspace) workspace = f.workspace->value;
    const auto read = [&](const std::string& where, const auto&... more) {
      return read_runs(tx, select_runs(columns(kListedConfig, "NULL::jsonb")) + where, f.type, text_array(f.users),
                       id_array(f.user_ids), workspace, id_array_or_null(f.visible), more...);
    };
    if (!f.since) return read(std::string("WHERE ") + kFiltered);
    return read(std::string("WHERE ") + kNotEndedBefore + kFiltered, format_rfc3339_micros(*f.since));
  };
  co_return co_await pool_.read("list tasks", std::move(body));
}

Task<Result<std::vector<TaskRun>>> TaskStore::open() {
  auto body = [](pg::Transaction& tx) -> Result<std::vector<TaskRun>> { return read_runs(tx, select_runs() + kOpen); };
  co_return co_await pool_.read("open tasks", std::move(body));
}

Task<Result<std::map<std::string, std::int64_t>>> TaskStore::count_running() {
  auto body = [](pg::Transaction& tx) -> Result<std::map<std::string, std::int64_t>> {
    std::map<std::string, std::int64_t> counts;
    for (const auto& row : run_sql(tx, kCountRunning)) counts[as_text(row[0])] = row[1].as<std::int64_t>();
    return counts;
  };
  co_return co_await pool_.read("count tasks", std::move(body));
}

Task<Status> TaskStore::start_run(Epoch epoch, std::string id, NewRun run) {
  auto body = [epoch, id = std::move(id), run = std::move(run)](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    const auto locked = lock(tx, id);
    DET_TRY(locked);
    // Ended meanwhile, as by the deletion of its object: nobody would look after the run.
    if (run_sql(tx, kIsOver, locked->task_number)[0][0].as<bool>()) {
      return fail(ErrorCode::kFailedPrecondition, "task " + id + " is over");
    }
    DET_TRY(start_allocation(tx, *locked, run, "task " + id));
    if (run.run > locked->run) run_sql(tx, kSetRun, locked->task_number, run.run);
    notify(tx, kTaskChannel, id);
    return {};
  };
  co_return co_await pool_.write("start task's run", std::move(body));
}

Task<Status> TaskStore::record_exit(Epoch epoch, std::string id, TrialExit exit) {
  auto body = [epoch, id = std::move(id), exit = std::move(exit)](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    const auto locked = lock(tx, id);
    DET_TRY(locked);
    close_run(tx, locked->task_number, exit);
    notify(tx, kTaskChannel, id);
    return {};
  };
  co_return co_await pool_.write("record task's exit", std::move(body));
}

Task<Result<bool>> TaskStore::end(Epoch epoch, std::string id, TaskEnd end) {
  if (!model::is_terminal(end.state)) {
    co_return fail(ErrorCode::kInvalidArgument, word(end.state) + " is not the end of a task");
  }
  auto body = [epoch, id = std::move(id), end = std::move(end)](pg::Transaction& tx) -> Result<bool> {
    DET_TRY(check_epoch(tx, epoch));
    const auto locked = lock(tx, id);
    DET_TRY(locked);
    if (end.run) close_run(tx, locked->task_number, *end.run);
    const pqxx::result moved = run_sql(tx, kEnd, locked->task_number, word(end.state), end.reason);
    if (moved.affected_rows() == 0) return false;
    end_open_allocations(tx, locked->task_number, end.reason);
    run_sql(tx, kEndTask, locked->task_number);
    notify(tx, kTaskChannel, id);
    return true;
  };
  co_return co_await pool_.write("end task", std::move(body));
}

Task<Status> TaskStore::set_priority(std::string id, int priority) {
  auto body = [id = std::move(id), priority](pg::Transaction& tx) {
    notify(tx, kTaskChannel, id);
    return changed_one(run_sql(tx, kSetPriority, id, priority), "task", id);
  };
  co_return co_await pool_.write("set task's priority", std::move(body));
}

Task<Status> TaskStore::follow_priority(Epoch epoch, std::string id, int priority) {
  auto body = [epoch, id = std::move(id), priority](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    notify(tx, kTaskChannel, id);
    return changed_one(run_sql(tx, kFollowPriority, id, priority), "task", id);
  };
  co_return co_await pool_.write("follow task's priority", std::move(body));
}

Task<Status> TaskStore::set_description(std::string id, std::string description) {
  auto body = [id = std::move(id), description = std::move(description)](pg::Transaction& tx) {
    notify(tx, kTaskChannel, id);
    return changed_one(run_sql(tx, kSetDescription, id, description), "task", id);
  };
  co_return co_await pool_.write("set task's description", std::move(body));
}

Task<Status> TaskStore::note_active(std::string id, WallTime at) {
  auto body = [id = std::move(id), at](pg::Transaction& tx) {
    return changed_one(run_sql(tx, kNoteActive, id, format_rfc3339_micros(at)), "task", id);
  };
  co_return co_await pool_.write("note a task's activity", std::move(body));
}

Task<Result<bool>> TaskStore::set_paused(Epoch epoch, std::string id, bool is_paused) {
  auto body = [epoch, id = std::move(id), is_paused](pg::Transaction& tx) -> Result<bool> {
    DET_TRY(check_epoch(tx, epoch));
    const auto to = is_paused ? model::TaskState::kPaused : model::TaskState::kActive;
    const auto from = is_paused ? model::TaskState::kActive : model::TaskState::kPaused;
    if (run_sql(tx, kPause, id, word(to), word(from)).affected_rows() == 0) return false;
    notify(tx, kTaskChannel, id);
    return true;
  };
  co_return co_await pool_.write("pause task", std::move(body));
}

Task<Result<InfraFailures>> TaskStore::infra_failures(std::string id, WallTime since) {
  auto body = [id = std::move(id), since](pg::Transaction& tx) -> Result<InfraFailures> {
    const pqxx::result task = run_sql(tx, kNumberOf, id);
    if (task.empty()) return InfraFailures();
    return infra_failures_of(tx, task[0][0].as<std::int64_t>(), since);
  };
  co_return co_await pool_.read("infrastructure failures of a task", std::move(body));
}

}  // namespace det::store
