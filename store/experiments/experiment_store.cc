#include "store/experiments/experiment_store.h"

#include "base/encoding.h"
#include "store/channels.h"
#include "store/experiments/experiment_list.h"
#include "store/experiments/experiment_reader.h"
#include "store/logs/log_deletion.h"
#include "store/metrics/report_deletion.h"
#include "store/webhooks/webhook_events.h"

namespace det::store {
namespace {

const char* const kInsert =
    "INSERT INTO experiments AS e (nonce, uid, namespace, object_name, owner_id, project_id, parent_id, state, config, "
    "original_config, config_hash, name, description, labels, context_kind, context_sha256, unmanaged, external_id) "
    "VALUES ($1, nullif($2, ''), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, nullif($16, ''), $17, "
    "nullif($18, '')) "
    "ON CONFLICT DO NOTHING RETURNING ";
// Indexes: primary key, experiments_uid_key, experiments_nonce_key, experiments_external_id.
const char* const kById = " FROM experiments e WHERE e.id = $1";
const char* const kByUid = " FROM experiments e WHERE e.uid = $1";
const char* const kByNonce = " FROM experiments e WHERE e.nonce = $1";
const char* const kSame =
    " FROM experiments e WHERE e.nonce = $1 OR (e.uid = $2 AND $2 <> '') OR (e.external_id = $3 AND "
    "$3 <> '')";
const char* const kAdopt =
    "UPDATE experiments e SET uid = $2, namespace = $3, object_name = $4 WHERE nonce = $1 AND coalesce(uid, $2) = $2 "
    "RETURNING ";
const char* const kDiscard = "DELETE FROM experiments WHERE nonce = $1 AND uid IS NULL";
const char* const kLockState = "SELECT state FROM experiments WHERE id = $1 FOR UPDATE";
const char* const kTasksOf = "SELECT task_number FROM trials WHERE experiment_id = $1";
// Metrics have no foreign key (store/schema/001_initial.sql); everything else below an experiment goes with it. What
// was reported before is gone by then (delete_reports).
const char* const kDeleteMetrics =
    "DELETE FROM metrics WHERE series_id IN (SELECT s.id FROM series s JOIN trials t ON t.id = s.trial_id WHERE "
    "t.experiment_id = $1)";
const char* const kDeleteMetricsByTime =
    "DELETE FROM metrics_by_time WHERE series_id IN (SELECT s.id FROM series s JOIN trials t ON t.id = s.trial_id "
    "WHERE "
    "t.experiment_id = $1)";
// Those that are gone from storage are nobody's any more.
const char* const kDeleteCheckpoints =
    "DELETE FROM checkpoints c USING trials t WHERE t.id = c.trial_id AND t.experiment_id = $1 AND c.state = 'DELETED'";
const char* const kDelete = "DELETE FROM experiments WHERE id = $1";
// They may hold keys. Those of checkpoints that stay say where their files are. Indexes storages_experiment,
// checkpoints_storage.
const char* const kDeleteStorages =
    "DELETE FROM storages s WHERE s.experiment_id = $1 AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE "
    "c.storage_id = s.id)";
const char* const kDeleteLogs = "DELETE FROM task_log_chunks WHERE task_number = ANY($1::bigint[])";
// A task with checkpoints stays: their rows name it.
const char* const kDeleteTasks =
    "DELETE FROM tasks t WHERE t.number = ANY($1::bigint[]) AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE "
    "c.task_number = t.number)";
const char* const kTransition =
    "UPDATE experiments SET state = $3, message = $4, end_time = CASE WHEN $5 THEN coalesce(end_time, now()) ELSE "
    "end_time END, collection = CASE WHEN $5 THEN 'DUE' ELSE collection END, "
    "progress = CASE WHEN $3 = 'COMPLETED' THEN 1 ELSE progress END "
    "WHERE id = $1 AND state = ANY($2::text[])";
// What a former leader says late of one that has ended changes nothing.
const char* const kSetProgress =
    "UPDATE experiments SET progress = CASE WHEN end_time IS NULL THEN $2 ELSE progress END WHERE id = $1";
const char* const kSetArchived = "UPDATE experiments SET archived = $2 WHERE id = $1";
const char* const kPatch =
    "UPDATE experiments SET name = coalesce($2, name), description = coalesce($3, description), "
    "labels = coalesce($4::jsonb, labels), notes = coalesce($5, notes), "
    "live = coalesce(nullif(coalesce($6::jsonb, live), 'null'), '{}') || coalesce($7::jsonb, '{}') WHERE id = $1";
const char* const kCountByState =  // index experiments_listed
    "SELECT state, count(*) FROM experiments GROUP BY state";
const char* const kBest =  // index trials_best
    "SELECT id, best_metric FROM trials WHERE experiment_id = $1 AND best_rank IS NOT NULL ORDER BY best_rank LIMIT 1";

// Indexes trials_experiment, series_trial_id_grp_run_names_id_key, metric_names_pkey.
const char* const kValidationMetrics =
    "SELECT DISTINCT n.name FROM (SELECT id FROM trials WHERE experiment_id = $1 ORDER BY id LIMIT 100) t JOIN series "
    "s "
    "ON s.trial_id = t.id AND s.grp = 'validation' JOIN metric_names k ON k.id = s.names_id CROSS JOIN LATERAL "
    "unnest(k.names) AS n (name) ORDER BY 1 LIMIT 20";

// In one statement: who puts another at the same time loses none.
const char* const kPutLabel =
    "UPDATE experiments SET labels = CASE WHEN labels ? $2 THEN labels ELSE labels || to_jsonb($2::text) END WHERE id "
    "= "
    "$1 RETURNING labels";
const char* const kRemoveLabel = "UPDATE experiments SET labels = labels - $2 WHERE id = $1 RETURNING labels";

Result<std::vector<std::string>> change_labels(pg::Transaction& tx, const char* statement, model::ExperimentId id,
                                               const std::string& label) {
  const pqxx::result changed = run_sql(tx, statement, id.value, label);
  if (changed.empty()) return not_found("experiment", to_string(id));
  return as_json(changed[0][0]).get<std::vector<std::string>>();
}

std::string label_json(const std::vector<std::string>& labels) {
  return json_text(labels);
}

pqxx::result views_of(pg::Transaction& tx, const std::string& ids) {
  return run_sql(tx, select_experiment_views("SELECT unnest($1::bigint[])"), ids);
}

Result<std::optional<ExperimentRow>> find_one(pg::Transaction& tx, const char* where, const std::string& key) {
  const pqxx::result found = run_sql(tx, "SELECT " + experiment_columns() + where, key);
  if (found.empty()) return std::nullopt;
  return read_experiment(found[0]);
}

Status must_exist(pg::Transaction& tx, model::ExperimentId id) {
  if (run_sql(tx, "SELECT 1 FROM experiments WHERE id = $1", id.value).empty()) {
    return not_found("experiment", to_string(id));
  }
  return {};
}

// Holds its row.
Status lock_ended(pg::Transaction& tx, model::ExperimentId id) {
  const pqxx::result found = run_sql(tx, kLockState, id.value);
  if (found.empty()) return not_found("experiment", to_string(id));
  if (model::is_terminal(as_state(found[0][0], model::parse_experiment_state))) return {};
  return fail(ErrorCode::kFailedPrecondition, "Experiment is not in terminal state.");
}

std::vector<std::int64_t> tasks_of(pg::Transaction& tx, model::ExperimentId id) {
  std::vector<std::int64_t> tasks;
  for (const auto& row : run_sql(tx, kTasksOf, id.value)) tasks.push_back(row[0].as<std::int64_t>());
  return tasks;
}

}  // namespace

Task<Result<ExperimentRow>> ExperimentStore::insert(NewExperiment experiment) {
  if (experiment.nonce.empty()) experiment.nonce = uuid_v4();
  auto body = [e = std::move(experiment)](pg::Transaction& tx) -> Result<ExperimentRow> {
    std::optional<std::int64_t> parent;
    if (e.parent) parent = e.parent->value;
    const pqxx::result made =
        run_sql(tx, kInsert + experiment_columns(), e.nonce, e.uid, e.ns, e.name, e.owner.value, e.project.value,
                parent, word(e.state), json_text(e.config), e.original_config, e.config_hash, e.title, e.description,
                label_json(e.labels), e.context.kind, e.context.sha256, e.is_unmanaged, e.external_id);
    if (!made.empty()) return read_experiment(made[0]);
    return read_experiment(run_sql1(tx, "SELECT " + experiment_columns() + kSame, e.nonce, e.uid, e.external_id));
  };
  co_return co_await pool_.write("insert experiment", std::move(body));
}

Task<Result<ExperimentRow>> ExperimentStore::adopt(std::string nonce, std::string uid, std::string ns,
                                                   std::string name) {
  auto body = [=](pg::Transaction& tx) -> Result<ExperimentRow> {
    const pqxx::result adopted = run_sql(tx, kAdopt + experiment_columns(), nonce, uid, ns, name);
    if (!adopted.empty()) return read_experiment(adopted[0]);
    const auto row = find_one(tx, kByNonce, nonce);
    DET_TRY(row);
    if (!*row) return not_found("experiment with nonce", nonce);
    return fail(
        ErrorCode::kFailedPrecondition,
        "experiment " + to_string((*row)->id) + " belongs to the object with uid " + (*row)->uid + ", not to " + uid);
  };
  co_return co_await pool_.write("adopt experiment", std::move(body));
}

Task<Status> ExperimentStore::discard(std::string nonce) {
  auto body = [nonce](pg::Transaction& tx) -> Status {
    run_sql(tx, kDiscard, nonce);
    return {};
  };
  co_return co_await pool_.write("discard experiment", std::move(body));
}

Task<Result<std::optional<ExperimentRow>>> ExperimentStore::find(model::ExperimentId id) {
  auto body = [id](pg::Transaction& tx) { return find_one(tx, kById, to_string(id)); };
  co_return co_await pool_.read("find experiment", std::move(body));
}

Task<Result<std::optional<ExperimentRow>>> ExperimentStore::find_by_uid(std::string uid) {
  auto body = [uid](pg::Transaction& tx) { return find_one(tx, kByUid, uid); };
  co_return co_await pool_.read("find experiment", std::move(body));
}

Task<Result<std::optional<NamedExperiment>>> ExperimentStore::find_named(model::ExperimentId id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::optional<NamedExperiment>> {
    const pqxx::result found = run_sql(tx, select_named_experiment(), id.value);
    if (found.empty()) return std::nullopt;
    return read_named_experiment(found[0]);
  };
  co_return co_await pool_.read("find experiment", std::move(body));
}

Task<Result<std::optional<ExperimentView>>> ExperimentStore::view(model::ExperimentId id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::optional<ExperimentView>> {
    const pqxx::result found = run_sql(tx, select_experiment_view(), id.value);
    if (found.empty()) return std::nullopt;
    return read_experiment_view(found[0]);
  };
  co_return co_await pool_.read("view experiment", std::move(body));
}

Task<Result<Paged<ExperimentView>>> ExperimentStore::list(ExperimentFilter filter) {
  auto body = [f = std::move(filter)](pg::Transaction& tx) { return list_experiments(tx, f); };
  co_return co_await pool_.read("list experiments", std::move(body));
}

Task<Result<Paged<model::ExperimentId>>> ExperimentStore::ids(ExperimentFilter filter) {
  auto body = [f = std::move(filter)](pg::Transaction& tx) { return list_experiment_ids(tx, f); };
  co_return co_await pool_.read("list ids of experiments", std::move(body));
}

Task<Result<std::vector<ExperimentView>>> ExperimentStore::views(std::vector<std::int64_t> ids) {
  auto body = [list = int_array(ids)](pg::Transaction& tx) -> Result<std::vector<ExperimentView>> {
    std::vector<ExperimentView> views;
    for (const auto& row : views_of(tx, list)) views.push_back(read_experiment_view(row));
    return views;
  };
  co_return co_await pool_.read("view experiments", std::move(body));
}

Task<Result<std::vector<UnreadExperimentView>>> ExperimentStore::unread_views(std::vector<std::int64_t> ids) {
  auto body = [list = int_array(ids)](pg::Transaction& tx) -> Result<std::vector<UnreadExperimentView>> {
    std::vector<UnreadExperimentView> views;
    for (const auto& row : views_of(tx, list)) views.push_back(unread_experiment_view(row));
    return views;
  };
  co_return co_await pool_.read("view experiments", std::move(body));
}

Task<Result<bool>> ExperimentStore::transition(Epoch epoch, model::ExperimentId id,
                                               std::vector<model::ExperimentState> from, model::ExperimentState to,
                                               std::string message) {
  auto body = [=](pg::Transaction& tx) -> Result<bool> {
    DET_TRY(check_epoch(tx, epoch));
    const pqxx::result moved =
        run_sql(tx, kTransition, id.value, word_array(from), word(to), message, model::is_terminal(to));
    if (moved.affected_rows() == 1) {
      notify(tx, kStateChannel, "e" + to_string(id));
      tell_state_change(tx, id);
      if (model::is_terminal(to)) notify(tx, kRemovalChannel, "");
      return true;
    }
    DET_TRY(must_exist(tx, id));
    return false;
  };
  co_return co_await pool_.write("move experiment", std::move(body));
}

Task<Status> ExperimentStore::set_progress(model::ExperimentId id, double progress) {
  auto body = [=](pg::Transaction& tx) -> Status {
    return changed_one(run_sql(tx, kSetProgress, id.value, progress), "experiment", to_string(id));
  };
  co_return co_await pool_.write("set progress", std::move(body));
}

Task<Status> ExperimentStore::patch(model::ExperimentId id, ExperimentPatch patch) {
  auto body = [id, patch = std::move(patch)](pg::Transaction& tx) -> Status {
    std::optional<std::string> labels;
    if (patch.labels) labels = label_json(*patch.labels);
    std::optional<std::string> live;
    if (patch.live) live = json_text(*patch.live);
    std::optional<std::string> changed_live;
    if (patch.changed_live) changed_live = json_text(*patch.changed_live);
    return changed_one(
        run_sql(tx, kPatch, id.value, patch.title, patch.description, labels, patch.notes, live, changed_live),
        "experiment", to_string(id));
  };
  co_return co_await pool_.write("patch experiment", std::move(body));
}

Task<Result<std::vector<std::string>>> ExperimentStore::put_label(model::ExperimentId id, std::string label) {
  auto body = [id, label](pg::Transaction& tx) { return change_labels(tx, kPutLabel, id, label); };
  co_return co_await pool_.write("put a label", std::move(body));
}

Task<Result<std::vector<std::string>>> ExperimentStore::remove_label(model::ExperimentId id, std::string label) {
  auto body = [id, label](pg::Transaction& tx) { return change_labels(tx, kRemoveLabel, id, label); };
  co_return co_await pool_.write("remove a label", std::move(body));
}

Task<Status> ExperimentStore::set_archived(model::ExperimentId id, bool archived) {
  auto body = [=](pg::Transaction& tx) -> Status {
    return changed_one(run_sql(tx, kSetArchived, id.value, archived), "experiment", to_string(id));
  };
  co_return co_await pool_.write("archive experiment", std::move(body));
}

Task<Status> ExperimentStore::remove(model::ExperimentId id) {
  for (std::optional<ReportDeletion> at(std::in_place); at;) {
    auto some = [id, &at](pg::Transaction& tx) -> Result<std::optional<ReportDeletion>> {
      DET_TRY(lock_ended(tx, id));
      return delete_reports(tx, id, *at);
    };
    auto next = co_await pool_.write("delete reports", std::move(some));
    DET_CO_TRY(next);
    at = std::move(*next);
  }
  for (bool has_more = true; has_more;) {
    auto some = [id](pg::Transaction& tx) -> Result<bool> {
      DET_TRY(lock_ended(tx, id));
      return delete_some_logs(tx, tasks_of(tx, id));
    };
    const auto done = co_await pool_.write("delete logs", std::move(some));
    DET_CO_TRY(done);
    has_more = *done;
  }
  auto body = [id](pg::Transaction& tx) -> Status {
    DET_TRY(lock_ended(tx, id));
    const std::vector<std::int64_t> tasks = tasks_of(tx, id);
    for (const char* metrics : {kDeleteMetrics, kDeleteMetricsByTime}) run_sql(tx, metrics, id.value);
    run_sql(tx, kDeleteCheckpoints, id.value);
    for (const char* own : {kDelete, kDeleteStorages}) run_sql(tx, own, id.value);
    for (const char* rest : {kDeleteLogs, kDeleteTasks}) run_sql(tx, rest, int_array(tasks));
    return {};
  };
  co_return co_await pool_.write("delete experiment", std::move(body));
}

Task<Result<std::map<std::string, std::int64_t>>> ExperimentStore::count_by_state() {
  auto body = [](pg::Transaction& tx) -> Result<std::map<std::string, std::int64_t>> {
    std::map<std::string, std::int64_t> counts;
    for (const auto& row : run_sql(tx, kCountByState)) counts[as_text(row[0])] = row[1].as<std::int64_t>();
    return counts;
  };
  co_return co_await pool_.read("count experiments", std::move(body));
}

Task<Result<std::vector<std::string>>> ExperimentStore::validation_metrics(model::ExperimentId id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::vector<std::string>> {
    std::vector<std::string> names;
    for (const auto& row : run_sql(tx, kValidationMetrics, id.value)) names.push_back(as_text(row[0]));
    return names;
  };
  co_return co_await pool_.read("metrics of an experiment", std::move(body));
}

Task<Result<std::optional<BestTrial>>> ExperimentStore::best_trial(model::ExperimentId id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::optional<BestTrial>> {
    const pqxx::result best = run_sql(tx, kBest, id.value);
    if (best.empty()) return std::nullopt;
    return BestTrial{.trial = {best[0][0].as<std::int64_t>()}, .metric = best[0][1].as<double>()};
  };
  co_return co_await pool_.read("best trial", std::move(body));
}

}  // namespace det::store
