#include "store/metrics/experiment_metric_store.h"

#include "model/states.h"
#include "store/sql.h"

namespace det::store {
namespace {

// Indexes of all: trials_experiment, series_trial_id_grp_run_names_id_key, metrics_pkey.
const char* const kCompared =
    "SELECT id, coalesce(config->'searcher'->>'name', ''), coalesce(config->'searcher'->>'metric', ''), "
    "coalesce((config->'searcher'->>'smaller_is_better')::boolean, true), state FROM experiments "
    "WHERE id = ANY($1::bigint[]) ORDER BY id";
const char* const kNames =
    "WITH sets AS (SELECT DISTINCT s.grp, s.names_id FROM trials t JOIN series s ON s.trial_id = t.id "
    "WHERE t.experiment_id = ANY($1::bigint[]) AND s.grp NOT IN ('cpu', 'gpu', 'memory', 'disk', 'network')) "
    "SELECT DISTINCT sets.grp, w.name FROM sets JOIN metric_names n ON n.id = sets.names_id "
    "CROSS JOIN unnest(n.names) AS w (name) ORDER BY 1, 2 LIMIT 20000";
// The series with a metric, $2 its group and $3 its name, and where in the reports it stands.
const char* const kWith =
    "WITH measured AS MATERIALIZED (SELECT s.id, s.trial_id, s.last_steps, array_position(n.names, $3) AS place "
    "FROM trials t JOIN visible_series s ON s.trial_id = t.id JOIN metric_names n ON n.id = s.names_id "
    "WHERE t.experiment_id = $1 AND s.grp = $2 AND $3 = ANY(n.names)) ";
const char* const kSteps =
    "SELECT DISTINCT m.steps FROM measured s JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps "
    "ORDER BY 1 LIMIT 100000";
const char* const kBestSoFar =
    "SELECT trial_id, time, value FROM (SELECT *, min($4::float8 * value) OVER (ORDER BY time, trial_id, steps "
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM (SELECT s.trial_id, m.time, m.steps, "
    "m.values[s.place] AS value FROM measured s JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps) r "
    "WHERE value < 'NaN') v WHERE before IS NULL OR $4::float8 * value < before ORDER BY time, trial_id, steps "
    "LIMIT 10000";
// The newest: who follows has been told of the others.
const char* const kSnapshot =
    "SELECT trial_id, hparams, value, steps FROM (SELECT * FROM (SELECT t.id AS trial_id, t.hparams, "
    "m.values[s.place] AS value, m.steps, m.time, "
    "sum(octet_length(t.hparams::text)) OVER (ORDER BY m.time DESC, t.id DESC, m.steps DESC) AS size "
    "FROM measured s JOIN trials t ON t.id = s.trial_id JOIN metrics m ON m.series_id = s.id "
    "AND m.steps >= $4::bigint AND m.steps <= least($5::bigint, s.last_steps) WHERE m.values[s.place] < 'NaN') r "
    "WHERE size <= 16777216 ORDER BY time DESC, trial_id DESC, steps DESC LIMIT 5000) newest "
    "ORDER BY time, trial_id, steps";
const char* const kEnded =
    "WITH ended AS MATERIALIZED (SELECT id, best_metric, count(*) OVER () AS n, hashint8(id) AS place FROM trials "
    "WHERE experiment_id = $1 AND best_metric < 'NaN' AND state IN ('COMPLETED', 'CANCELED', 'ERROR')), "
    "chosen AS MATERIALIZED (SELECT * FROM ended ORDER BY place, id LIMIT $2) "
    "SELECT n, hparams, best_metric FROM (SELECT s.n, s.place, s.id, s.best_metric, t.hparams, "
    "sum(octet_length(t.hparams::text)) OVER (ORDER BY s.place, s.id) AS size FROM chosen s "
    "JOIN trials t ON t.id = s.id) r WHERE size <= 16777216 ORDER BY place, id";
const char* const kBest =
    "SELECT id FROM trials WHERE experiment_id = $1 ORDER BY best_rank ASC NULLS LAST, id LIMIT $2";
const char* const kLongest =
    "SELECT t.id FROM trials t CROSS JOIN LATERAL (SELECT max(top.steps) AS steps FROM visible_series s "
    "CROSS JOIN LATERAL (SELECT m.steps FROM metrics m WHERE m.series_id = s.id AND m.steps <= s.last_steps "
    "ORDER BY m.steps DESC LIMIT 1) top WHERE s.trial_id = t.id AND s.grp = 'validation') longest "
    "WHERE t.experiment_id = $1 AND longest.steps IS NOT NULL "
    "ORDER BY longest.steps DESC, t.best_rank ASC NULLS LAST, t.id LIMIT $2";

}  // namespace

Task<Result<std::vector<ComparedExperiment>>> ExperimentMetricStore::compared(std::vector<model::ExperimentId> ids) {
  auto body = [ids = std::move(ids)](pg::Transaction& tx) -> Result<std::vector<ComparedExperiment>> {
    std::vector<ComparedExperiment> found;
    for (const auto& row : run_sql(tx, kCompared, id_array(ids))) {
      found.push_back({.id = {row[0].as<std::int64_t>()},
                       .searcher = as_text(row[1]),
                       .metric = as_text(row[2]),
                       .smaller_is_better = row[3].as<bool>(),
                       .is_over = model::is_terminal(as_state(row[4], model::parse_experiment_state))});
    }
    return found;
  };
  co_return co_await pool_.read("read compared experiments", std::move(body));
}

Task<Result<std::vector<MetricName>>> ExperimentMetricStore::names(std::vector<model::ExperimentId> ids) {
  auto body = [ids = std::move(ids)](pg::Transaction& tx) -> Result<std::vector<MetricName>> {
    std::vector<MetricName> found;
    for (const auto& row : run_sql(tx, kNames, id_array(ids))) found.push_back({as_text(row[0]), as_text(row[1])});
    return found;
  };
  co_return co_await pool_.read("read names of metrics", std::move(body));
}

Task<Result<std::vector<std::int64_t>>> ExperimentMetricStore::steps(model::ExperimentId id, MetricName metric,
                                                                     std::string user) {
  const auto turn = co_await long_reads_.wait(std::move(user));
  auto body = [id, metric = std::move(metric)](pg::Transaction& tx) -> Result<std::vector<std::int64_t>> {
    std::vector<std::int64_t> found;
    const std::string statement = std::string(kWith) + kSteps;
    for (const auto& row : run_sql(tx, statement, id.value, metric.group, metric.name)) {
      found.push_back(row[0].as<std::int64_t>());
    }
    return found;
  };
  co_return co_await pool_.read("read steps of a metric", std::move(body));
}

Task<Result<std::vector<BestSoFar>>> ExperimentMetricStore::best_so_far(ComparedExperiment experiment,
                                                                        std::string user) {
  const auto turn = co_await long_reads_.wait(std::move(user));
  auto body = [experiment = std::move(experiment)](pg::Transaction& tx) -> Result<std::vector<BestSoFar>> {
    std::vector<BestSoFar> found;
    const std::string statement = std::string(kWith) + kBestSoFar;
    for (const auto& row : run_sql(tx, statement, experiment.id.value, "validation", experiment.metric,
                                   experiment.smaller_is_better ? 1.0 : -1.0)) {
      found.push_back({.trial = {row[0].as<std::int64_t>()}, .time = as_time(row[1]), .metric = row[2].as<double>()});
    }
    return found;
  };
  co_return co_await pool_.read("read best validations", std::move(body));
}

Task<Result<std::vector<SnapshotRow>>> ExperimentMetricStore::snapshot(SnapshotQuery query) {
  auto body = [q = std::move(query)](pg::Transaction& tx) -> Result<std::vector<SnapshotRow>> {
    std::vector<SnapshotRow> found;
    const std::string statement = std::string(kWith) + kSnapshot;
    for (const auto& row :
         run_sql(tx, statement, q.experiment.value, q.metric.group, q.metric.name, q.from_steps, q.to_steps)) {
      found.push_back({.trial = {row[0].as<std::int64_t>()},
                       .hparams = as_json(row[1]),
                       .metric = row[2].as<double>(),
                       .steps = row[3].as<std::int64_t>()});
    }
    return found;
  };
  co_return co_await pool_.read("read a snapshot of trials", std::move(body));
}

Task<Result<EndedTrials>> ExperimentMetricStore::ended(model::ExperimentId id, int most) {
  auto body = [=](pg::Transaction& tx) -> Result<EndedTrials> {
    EndedTrials found;
    for (const auto& row : run_sql(tx, kEnded, id.value, most)) {
      found.count = row[0].as<std::int64_t>();
      found.some.push_back({.hparams = as_json(row[1]), .metric = row[2].as<double>()});
    }
    return found;
  };
  co_return co_await pool_.read("read ended trials", std::move(body));
}

Task<Result<std::vector<model::TrialId>>> ExperimentMetricStore::best_trials(model::ExperimentId id, int most) {
  co_return co_await trials(kBest, id, most);
}

Task<Result<std::vector<model::TrialId>>> ExperimentMetricStore::longest_trials(model::ExperimentId id, int most) {
  co_return co_await trials(kLongest, id, most);
}

Task<Result<std::vector<model::TrialId>>> ExperimentMetricStore::trials(const char* statement, model::ExperimentId id,
                                                                        int most) {
  auto body = [=](pg::Transaction& tx) -> Result<std::vector<model::TrialId>> {
    std::vector<model::TrialId> found;
    for (const auto& row : run_sql(tx, statement, id.value, most)) found.push_back({row[0].as<std::int64_t>()});
    return found;
  };
  co_return co_await pool_.read("read top trials", std::move(body));
}

}  // namespace det::store
