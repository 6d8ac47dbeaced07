#include "store/metrics/metric_store.h"

#include <utility>

#include "store/metrics/metric_reader.h"
#include "store/metrics/workload_list.h"

namespace det::store {
namespace {

// Of each series no more is read than of all is wanted: its steps differ, so that none further back has a place in it.
// Indexes of all: series_trial_id_grp_run_names_id_key, metrics_pkey, metrics_by_time_pkey.
const char* const kReports =
    "SELECT run, grp, steps, time, names, values, extra FROM (SELECT s.run, s.grp, m.steps, m.time, to_json(n.names) "
    "AS names, "
    "m.values, m.extra, s.id, dense_rank() OVER (ORDER BY s.grp, m.steps, s.run) AS place FROM visible_series s "
    "JOIN metric_names n ON n.id = s.names_id CROSS JOIN LATERAL (SELECT steps, time, values, extra FROM metrics "
    "WHERE series_id = s.id AND steps <= s.last_steps AND steps > coalesce($3::bigint, -1) ORDER BY steps "
    "LIMIT $4) m WHERE s.trial_id = $1 AND ($2 = '' OR s.grp = $2)) r "
    "WHERE $4::bigint IS NULL OR place <= $4 ORDER BY place, id";
const char* const kReportsByTime =
    "SELECT s.run, s.grp, 0, m.time, to_json(n.names), m.values, m.extra FROM series s "
    "JOIN metric_names n ON n.id = s.names_id JOIN metrics_by_time m ON m.series_id = s.id "
    "WHERE s.trial_id = $1 AND s.grp = $2 ORDER BY m.time, s.id";
const char* const kBestSteps = "SELECT best_steps FROM trials WHERE id = $1 AND best_steps IS NOT NULL";

std::optional<ValidationRow> validation_at(pg::Transaction& tx, model::TrialId trial, std::int64_t steps) {
  auto found = metrics_at(tx, "validation", {{trial.value, steps}});
  if (found.empty()) return std::nullopt;
  return std::move(found.begin()->second);
}

}  // namespace

Task<Result<std::vector<MetricRow>>> MetricStore::reports(MetricQuery query) {
  auto body = [q = std::move(query)](pg::Transaction& tx) -> Result<std::vector<MetricRow>> {
    const auto limit = page_limit({.offset = 0, .limit = q.limit});
    return read_reports(run_sql(tx, kReports, q.trial.value, q.group, q.after_steps, limit), q.trial);
  };
  co_return co_await pool_.read("read metrics", std::move(body));
}

Task<Result<std::vector<MetricRow>>> MetricStore::reports_by_time(model::TrialId trial, std::string group) {
  auto body = [=](pg::Transaction& tx) -> Result<std::vector<MetricRow>> {
    return read_reports(run_sql(tx, kReportsByTime, trial.value, group), trial, Keyed::kByTime);
  };
  co_return co_await pool_.read("read metrics by time", std::move(body));
}

Task<Result<std::optional<ValidationRow>>> MetricStore::latest_validation(model::TrialId trial) {
  auto body = [trial](pg::Transaction& tx) -> Result<std::optional<ValidationRow>> {
    const auto steps = latest_validation_steps(tx, {trial.value});
    if (steps.empty()) return std::nullopt;
    return validation_at(tx, trial, steps.begin()->second);
  };
  co_return co_await pool_.read("latest validation", std::move(body));
}

Task<Result<std::optional<ValidationRow>>> MetricStore::best_validation(model::TrialId trial) {
  auto body = [trial](pg::Transaction& tx) -> Result<std::optional<ValidationRow>> {
    const pqxx::result best = run_sql(tx, kBestSteps, trial.value);
    if (best.empty()) return std::nullopt;
    return validation_at(tx, trial, best[0][0].as<std::int64_t>());
  };
  co_return co_await pool_.read("best validation", std::move(body));
}

Task<Result<Paged<WorkloadRow>>> MetricStore::workloads(WorkloadQuery query) {
  auto read = [query](pg::Transaction& tx) { return list_workloads(tx, query); };
  co_return co_await keeper_.read_kept<Paged<WorkloadRow>>(
      {.name = "list workloads", .trial = query.trial, .group = {}}, std::move(read));
}

Task<Result<MetricSummaries>> MetricStore::summary(model::TrialId trial) {
  auto read = [trial](pg::Transaction& tx) -> Result<MetricSummaries> { return read_summaries(tx, trial); };
  co_return co_await keeper_.read_kept<MetricSummaries>({.name = "summarise metrics", .trial = trial, .group = {}},
                                                        std::move(read));
}

}  // namespace det::store
