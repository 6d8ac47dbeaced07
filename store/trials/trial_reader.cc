#include "store/trials/trial_reader.h"

#include "store/checkpoints/checkpoint_reader.h"
#include "store/metrics/metric_reader.h"

namespace det::store {
namespace {

const char* const kColumns =
    "t.id, t.experiment_id, t.request_id, t.uid, t.state, t.hparams, t.seed, t.run, t.restarts, t.infra_restarts, "
    "k.id, "
    "k.number, t.start_time, t.end_time, t.runner_state, t.progress, t.exit_reason, t.early_exit, "
    "t.work_length, t.work_is_last, t.work_settled, t.work_completed, t.work_is_asked_for, t.warm_start_checkpoint, "
    "t.excluded_nodes, t.no_retry, t.log_policy_matched, t.log_retention_days, t.external_id";

// Indexes allocations_trial, series_trial_id_grp_run_names_id_key, metrics_pkey, checkpoints_trial.
const char* const kBatches =
    "(SELECT max(top.steps) FROM visible_series s CROSS JOIN LATERAL (SELECT m.steps FROM metrics m "
    "WHERE m.series_id = s.id AND m.steps <= s.last_steps ORDER BY m.steps DESC LIMIT 1) top "
    "WHERE s.trial_id = t.id AND s.grp NOT IN ('cpu', 'gpu', 'memory', 'disk', 'network'))";  // those of the machine
const char* const kSeconds =
    "(SELECT coalesce(sum(extract(epoch FROM coalesce(a.ended_at, now()) - a.created_at)), 0)::float8 "
    "FROM allocations a WHERE a.trial_id = t.id)";
const char* const kCheckpointBytes =
    "(SELECT least(coalesce(sum(c.size), 0), 9223372036854775807)::bigint FROM checkpoints c WHERE c.trial_id = t.id "
    "AND c.state <> 'DELETED')";

const char* const kInsertTask = "INSERT INTO tasks (id, type) VALUES ($1, 'TRIAL') ON CONFLICT (id) DO NOTHING";
const char* const kInsert =
    "INSERT INTO trials (experiment_id, request_id, task_number, state, hparams, seed, external_id) "
    "SELECT $1, $2, k.number, $4, $5, $6, nullif($7, '') FROM tasks k WHERE k.id = $3 "
    "ON CONFLICT (experiment_id, request_id) DO UPDATE SET hparams = excluded.hparams";

std::vector<ExcludedNode> as_nodes(const nlohmann::json& list) {
  std::vector<ExcludedNode> nodes;
  for (const auto& entry : list) nodes.push_back({.node = entry.value("node", ""), .why = entry.value("why", "")});
  return nodes;
}

TrialView read_view(const pqxx::row& row) {
  constexpr int at = kTrialColumns;
  TrialView view;
  view.row = read_trial(row);
  if (!row[at].is_null()) view.allocation_state = as_state(row[at], model::parse_allocation_state);
  view.total_batches = as_optional<std::int64_t>(row[at + 1]).value_or(0);
  view.best_metric = as_optional<double>(row[at + 2]);
  view.checkpoint_count = row[at + 4].as<std::int64_t>();
  view.checkpoint_bytes = row[at + 5].as<std::int64_t>();
  view.wall_clock_seconds = row[at + 6].as<double>();
  view.log_retention_days = as_optional<int>(row[at + 8]);
  view.row.state = shown_state(view.row.state, as_text(row[at + 7]));
  return view;
}

}  // namespace

model::TrialState shown_state(model::TrialState own, std::string_view experiment) {
  return own == model::TrialState::kActive && experiment == "PAUSED" ? model::TrialState::kPaused : own;
}

std::string trial_columns() {
  return kColumns;
}

std::string select_trials() {
  return std::string("SELECT ") + kColumns + " FROM trials t JOIN tasks k ON k.number = t.task_number ";
}

TrialRow read_trial(const pqxx::row& row) {
  return {
      .id = {row[0].as<std::int64_t>()},
      .experiment = {row[1].as<std::int64_t>()},
      .request_id = as_text(row[2]),
      .uid = as_text(row[3]),
      .state = as_state(row[4], model::parse_trial_state),
      .hparams = as_json(row[5]),
      .seed = row[6].as<std::int64_t>(),
      .run = row[7].as<int>(),
      .restarts = row[8].as<int>(),
      .infra_restarts = row[9].as<int>(),
      .task_id = as_text(row[10]),
      .task_number = row[11].as<std::int64_t>(),
      .start_time = as_time(row[12]),
      .end_time = as_optional_time(row[13]),
      .runner_state = as_text(row[14]),
      .progress = as_optional<double>(row[15]),
      .exit_reason = as_text(row[16]),
      .early_exit = as_text(row[17]),
      .work = {.length = as_optional<std::int64_t>(row[18]),
               .is_last = row[19].as<bool>(),
               .settled = row[20].as<std::int64_t>(),
               .completed = row[21].as<std::int64_t>(),
               .is_asked_for = row[22].as<bool>()},
      .warm_start_checkpoint = as_text(row[23]),
      .logs = {.excluded_nodes = as_nodes(as_json(row[24])), .no_retry = as_text(row[25]), .matched = as_text(row[26])},
      .log_retention_days = as_optional<int>(row[27]),
      .external_id = as_text(row[28])};
}

std::optional<TrialRow> find_trial(pqxx::transaction_base& tx, model::TrialId id) {
  const pqxx::result found = run_sql(tx, select_trials() + "WHERE t.id = $1", id.value);
  if (found.empty()) return std::nullopt;
  return read_trial(found[0]);
}

TrialRow insert_trial(pqxx::transaction_base& tx, const NewTrial& trial) {
  const std::string task = model::trial_task_id(trial.experiment, trial.request_id);
  run_sql(tx, kInsertTask, task);
  run_sql(tx, kInsert, trial.experiment.value, trial.request_id, task, word(trial.state), json_text(trial.hparams),
          trial.seed, trial.external_id);
  return read_trial(run_sql1(tx, select_trials() + "WHERE k.id = $1", task));
}

std::string select_trial_views(const std::string& ids) {
  return "WITH page AS MATERIALIZED (SELECT * FROM unnest(ARRAY(" + ids +
         ")) WITH ORDINALITY AS listed (id, place)) SELECT " + kColumns + ", current.state, " + kBatches +
         ", t.best_metric, t.best_steps, coalesce(saved.n, 0), coalesce(saved.bytes, 0), " + kSeconds +
         ", (SELECT e.state FROM experiments e WHERE e.id = t.experiment_id), " + trial_log_retention() +
         " FROM page JOIN trials t ON t.id = page.id "
         "JOIN tasks k ON k.number = t.task_number "
         "LEFT JOIN allocations current ON current.trial_id = t.id AND current.run = t.run "
         "LEFT JOIN (SELECT c.trial_id, count(*) AS n, least(coalesce(sum(c.size), 0), 9223372036854775807)::bigint AS "
         "bytes FROM "
         "page "
         "JOIN checkpoints c ON c.trial_id = page.id WHERE c.state <> 'DELETED' GROUP BY 1) saved "
         "ON saved.trial_id = t.id ORDER BY page.place";
}

std::string trial_batches() {
  return kBatches;
}

std::string trial_checkpoint_bytes() {
  return kCheckpointBytes;
}

std::string trial_log_retention() {
  return std::string("(SELECT coalesce(") + kLogRetentionOfRows + ") FROM experiments e WHERE e.id = t.experiment_id)";
}

std::vector<TrialView> read_trial_views(pqxx::transaction_base& tx, const pqxx::result& rows) {
  std::vector<std::int64_t> ids;
  for (const auto& row : rows) ids.push_back(row[0].as<std::int64_t>());
  const auto latest = latest_validation_steps(tx, ids);
  std::map<std::int64_t, std::int64_t> best;
  for (const auto& row : rows) {
    if (!row[kTrialColumns + 3].is_null()) best[row[0].as<std::int64_t>()] = row[kTrialColumns + 3].as<std::int64_t>();
  }
  std::vector<TrialSteps> places(latest.begin(), latest.end());
  for (const auto& place : best) {
    if (const auto same = latest.find(place.first); same == latest.end() || same->second != place.second) {
      places.emplace_back(place);
    }
  }
  const auto validations = metrics_at(tx, "validation", places);
  const auto checkpoints = latest_and_best(tx, ids);

  const auto validation = [&](const auto& steps, std::int64_t trial) -> std::optional<ValidationRow> {
    const auto place = steps.find(trial);
    if (place == steps.end()) return std::nullopt;
    const auto found = validations.find({trial, place->second});
    if (found == validations.end()) return std::nullopt;
    return found->second;
  };
  std::vector<TrialView> views;
  for (const auto& row : rows) {
    TrialView view = read_view(row);
    const std::int64_t id = view.row.id.value;
    view.latest_validation = validation(latest, id);
    view.best_validation = validation(best, id);
    if (const auto saved = checkpoints.find(id); saved != checkpoints.end()) {
      view.latest_checkpoint = saved->second.latest;
      view.best_checkpoint = saved->second.best;
    }
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace det::store
