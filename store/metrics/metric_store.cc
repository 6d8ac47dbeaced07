#include "store/metrics/metric_store.h"

#include "store/checkpoints/checkpoint_reader.h"
#include "store/metrics/metric_reader.h"

namespace det::store {
namespace {

// Indexes of all: series_trial_id_grp_run_names_id_key, metrics_pkey, metrics_by_time_pkey.
const char* const kReports =
    "SELECT run, grp, steps, time, names, values, extra FROM (SELECT s.run, s.grp, m.steps, m.time, to_json(n.names) "
    "AS names, "
    "m.values, m.extra, s.id, dense_rank() OVER (ORDER BY s.grp, m.steps, s.run) AS place FROM visible_series s "
    "JOIN metric_names n ON n.id = s.names_id JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps "
    "WHERE s.trial_id = $1 AND ($2 = '' OR s.grp = $2) AND m.steps > coalesce($3::bigint, -1)) r "
    "WHERE $4::bigint IS NULL OR place <= $4 ORDER BY place, id";
const char* const kReportsByTime =
    "SELECT s.run, s.grp, 0, m.time, to_json(n.names), m.values, m.extra FROM series s "
    "JOIN metric_names n ON n.id = s.names_id JOIN metrics_by_time m ON m.series_id = s.id "
    "WHERE s.trial_id = $1 AND s.grp = $2 ORDER BY m.time, s.id";
const char* const kBestSteps = "SELECT best_steps FROM trials WHERE id = $1 AND best_steps IS NOT NULL";

// kind: 1 training, 2 validation, 3 checkpoint; run or uuid says which.
const char* const kWorkloads =
    "SELECT steps, kind, run, uuid FROM ("
    "SELECT DISTINCT m.steps, CASE s.grp WHEN 'training' THEN 1 ELSE 2 END AS kind, s.run, NULL::uuid AS uuid "
    "FROM visible_series s JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps WHERE s.trial_id = $1 "
    "AND ((s.grp = 'training' AND $2) OR (s.grp = 'validation' AND $3)) "
    "UNION ALL SELECT c.steps, 3, 0, c.uuid FROM checkpoints c WHERE c.trial_id = $1 AND $4) w ";
const char* const kRowsAt =
    "SELECT s.run, s.grp, m.steps, m.time, to_json(n.names), m.values, m.extra FROM visible_series s "
    "JOIN metric_names n ON n.id = s.names_id JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps "
    "WHERE s.trial_id = $1 AND s.grp IN ('training', 'validation') AND m.steps = ANY($2::bigint[]) "
    "ORDER BY s.grp, m.steps, s.run, s.id";
const char* const kCheckpointsOf =
    " FROM checkpoints c JOIN tasks k ON k.number = c.task_number WHERE c.uuid = ANY($1::uuid[])";

// Parts of long series that one call adds to what is kept; beyond that it reads them where they are.
constexpr int kMostParts = 500;

struct Summed {
  MetricSummaries summaries;  // when nothing is left to keep
  std::vector<SummaryPart> to_keep;
};

enum class Keyed : std::uint8_t { kBySteps, kByTime };

// Rows in the order of the query; neighbours of the same report become one.
std::vector<MetricRow> read_reports(const pqxx::result& rows, model::TrialId trial, Keyed keyed = Keyed::kBySteps) {
  std::vector<MetricRow> reports;
  for (const auto& row : rows) {
    const int run = row[0].as<int>();
    const std::string group = as_text(row[1]);
    const std::int64_t steps = row[2].as<std::int64_t>();
    const WallTime time = as_time(row[3]);
    const bool same = !reports.empty() && reports.back().run == run && reports.back().group == group &&
                      reports.back().steps == steps && (keyed == Keyed::kBySteps || reports.back().time == time);
    if (!same) {
      reports.push_back({.trial = trial,
                         .run = run,
                         .group = group,
                         .steps = steps,
                         .time = time,
                         .metrics = nullptr,
                         .batch_metrics = nullptr});
    }
    add_metrics(row[4], row[5], row[6], reports.back().metrics, reports.back().batch_metrics);
  }
  return reports;
}

std::optional<ValidationRow> validation_at(pg::Transaction& tx, model::TrialId trial, std::int64_t steps) {
  auto found = metrics_at(tx, "validation", {{trial.value, steps}});
  if (found.empty()) return std::nullopt;
  return std::move(found.begin()->second);
}

struct WorkloadKey {
  std::int64_t steps = 0;
  int kind = 0;
  int run = 0;
  std::string uuid;
};

std::vector<WorkloadRow> fetch_workloads(pg::Transaction& tx, model::TrialId trial,
                                         const std::vector<WorkloadKey>& keys) {
  std::vector<std::int64_t> steps;
  std::vector<std::string> uuids;
  for (const WorkloadKey& key : keys) {
    if (key.kind == 3) uuids.push_back(key.uuid);
    if (key.kind != 3) steps.push_back(key.steps);
  }
  std::map<std::string, CheckpointRow> checkpoints;
  for (const auto& row : run_sql(tx, "SELECT " + checkpoint_columns() + kCheckpointsOf, text_array(uuids))) {
    CheckpointRow checkpoint = read_checkpoint(row);
    checkpoints.emplace(checkpoint.uuid, std::move(checkpoint));
  }
  std::map<std::tuple<std::int64_t, int, int>, MetricRow> metrics;
  for (MetricRow& row : read_reports(run_sql(tx, kRowsAt, trial.value, int_array(steps)), trial)) {
    metrics.emplace(std::tuple(row.steps, row.group == "training" ? 1 : 2, row.run), std::move(row));
  }
  std::vector<WorkloadRow> workloads;
  for (const WorkloadKey& key : keys) {
    const auto metric = metrics.find({key.steps, key.kind, key.run});
    const auto checkpoint = checkpoints.find(key.uuid);
    if (key.kind != 3 && metric != metrics.end()) {
      workloads.push_back({.metrics = metric->second, .checkpoint = std::nullopt});
    } else if (key.kind == 3 && checkpoint != checkpoints.end()) {
      workloads.push_back({.metrics = std::nullopt, .checkpoint = checkpoint->second});
    }
  }
  return workloads;
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
  auto body = [q = query](pg::Transaction& tx) -> Result<Paged<WorkloadRow>> {
    Paged<WorkloadRow> page;
    const std::string count = std::string("SELECT count(*) FROM (") + kWorkloads + ") all_of_them";
    page.total = run_sql1(tx, count, q.trial.value, q.training, q.validation, q.checkpoints)[0].as<std::int64_t>();
    const auto offset = page_offset(q.page, page.total);
    DET_TRY(offset);
    page.offset = *offset;
    const std::string turn(direction(q.order));
    const std::string sql = std::string(kWorkloads) + "ORDER BY steps" + turn + ", kind" + turn + ", run" + turn +
                            ", uuid LIMIT $5 OFFSET $6";
    std::vector<WorkloadKey> keys;
    for (const auto& row :
         run_sql(tx, sql, q.trial.value, q.training, q.validation, q.checkpoints, page_limit(q.page), *offset)) {
      keys.push_back({.steps = row[0].as<std::int64_t>(),
                      .kind = row[1].as<int>(),
                      .run = row[2].as<int>(),
                      .uuid = as_text(row[3])});
    }
    page.items = fetch_workloads(tx, q.trial, keys);
    return page;
  };
  co_return co_await pool_.read("list workloads", std::move(body));
}

Task<Result<MetricSummaries>> MetricStore::summary(model::TrialId trial) {
  bool keeps = true;
  for (int parts = 0;;) {
    auto read = [trial, keeps = keeps && parts < kMostParts](pg::Transaction& tx) -> Result<Summed> {
      Summed found;
      if (keeps) found.to_keep = parts_to_keep(tx, trial);
      if (found.to_keep.empty()) found.summaries = read_summaries(tx, trial);
      return found;
    };
    auto found = co_await pool_.read("summarise metrics", std::move(read));
    DET_CO_TRY(found);
    if (found->to_keep.empty()) co_return std::move(found->summaries);
    parts += static_cast<int>(found->to_keep.size());
    keeps = (co_await keep(std::move(found->to_keep))).has_value();
  }
}

Task<Status> MetricStore::keep(std::vector<SummaryPart> parts) {
  auto claim = [&parts](pg::Transaction& tx) -> Status {
    claim_parts(tx, parts);
    return {};
  };
  Status claimed = co_await pool_.write("claim reports to add up", std::move(claim));
  if (!claimed) co_return claimed;
  auto add = [&parts](pg::Transaction& tx) -> Status {
    keep_parts(tx, parts);
    return {};
  };
  co_return co_await pool_.write("keep sums of reports", std::move(add));
}

}  // namespace det::store
