#include "store/metrics/workload_list.h"

#include <algorithm>

#include "store/checkpoints/checkpoint_reader.h"
#include "store/metrics/metric_reader.h"

namespace det::store {
namespace {

// Indexes of all: series_trial_id_grp_run_names_id_key, metrics_pkey, checkpoints_trial.
const char* const kCountCheckpoints =
    "SELECT count(*) FROM checkpoints WHERE trial_id = $1 AND ($2 OR state <> 'DELETED')";
const char* const kRowsAt =
    "SELECT s.run, s.grp, m.steps, m.time, to_json(n.names), m.values, m.extra FROM visible_series s "
    "JOIN metric_names n ON n.id = s.names_id JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps "
    "WHERE s.trial_id = $1 AND s.grp IN ('training', 'validation') AND m.steps = ANY($2::bigint[]) "
    "ORDER BY s.grp, m.steps, s.run, s.id";
const char* const kCheckpointsOf =
    " FROM checkpoints c JOIN tasks k ON k.number = c.task_number WHERE c.uuid = ANY($1::uuid[])";

// kind: 1 training, 2 validation, 3 checkpoint; run or uuid says which. $4 is the limit, $5 the offset.
std::string select_keys(Order order) {
  const std::string turn(plain_direction(order));
  const std::string enough = " LIMIT $4::bigint + $5::bigint)";
  return "WITH visible AS MATERIALIZED (SELECT id, grp, run, last_steps FROM visible_series WHERE trial_id = $1 "
         "AND grp = ANY($2::text[])) SELECT steps, kind, run, uuid FROM ("
         "SELECT DISTINCT m.steps, CASE s.grp WHEN 'training' THEN 1 ELSE 2 END AS kind, s.run, NULL::uuid AS uuid "
         "FROM visible s CROSS JOIN LATERAL (SELECT r.steps FROM metrics r WHERE r.series_id = s.id "
         "AND r.steps <= s.last_steps ORDER BY r.steps" +
         turn + enough +
         " m UNION ALL (SELECT c.steps, 3, 0, c.uuid FROM checkpoints c WHERE c.trial_id = $1 AND $3 "
         "AND ($6 OR c.state <> 'DELETED') "
         "ORDER BY c.steps" +
         turn + ", c.uuid" + enough + ") w ORDER BY steps" + turn + ", kind" + turn + ", run" + turn +
         ", uuid LIMIT $4::bigint OFFSET $5::bigint";
}

// The same by the metric $7: all reports are looked at.
std::string select_keys_by_metric(Order order) {
  const std::string turn(plain_direction(order));
  return "SELECT steps, kind, run, uuid FROM (SELECT m.steps, CASE s.grp WHEN 'training' THEN 1 ELSE 2 END AS kind, "
         "s.run, NULL::uuid AS uuid, max(m.values[array_position(n.names, $7)]) AS value FROM visible_series s "
         "JOIN metric_names n ON n.id = s.names_id JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps "
         "WHERE s.trial_id = $1 AND s.grp = ANY($2::text[]) GROUP BY m.steps, s.grp, s.run "
         "UNION ALL SELECT c.steps, 3, 0, c.uuid, NULL FROM checkpoints c WHERE c.trial_id = $1 AND $3 "
         "AND ($6 OR c.state <> 'DELETED')) w ORDER BY value" +
         std::string(direction(order)) + ", steps" + turn + ", kind" + turn + ", run" + turn +
         ", uuid LIMIT $4::bigint OFFSET $5::bigint";
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

Result<Paged<WorkloadRow>> list_workloads(pg::Transaction& tx, const WorkloadQuery& query) {
  std::vector<std::string> groups;
  if (query.training) groups.emplace_back("training");
  if (query.validation) groups.emplace_back("validation");
  const std::int64_t trial = query.trial.value;
  Paged<WorkloadRow> page;
  if (!groups.empty()) page.total = count_reports(tx, query.trial, groups);
  if (query.checkpoints)
    page.total += run_sql1(tx, kCountCheckpoints, trial, query.deleted_checkpoints)[0].as<std::int64_t>();
  page.offset = start_of(query.page.offset, page.total);
  std::vector<WorkloadKey> keys;
  // No more than there are: offset and limit are added up.
  const std::int64_t limit = std::min(page_limit(query.page).value_or(page.total), page.total);
  const auto rows = query.sort_metric.empty()
                        ? run_sql(tx, select_keys(query.order), trial, text_array(groups), query.checkpoints, limit,
                                  page.offset, query.deleted_checkpoints)
                        : run_sql(tx, select_keys_by_metric(query.order), trial, text_array(groups), query.checkpoints,
                                  limit, page.offset, query.deleted_checkpoints, query.sort_metric);
  for (const auto& row : rows) {
    keys.push_back({.steps = row[0].as<std::int64_t>(),
                    .kind = row[1].as<int>(),
                    .run = row[2].as<int>(),
                    .uuid = as_text(row[3])});
  }
  page.items = fetch_workloads(tx, query.trial, keys);
  return page;
}

}  // namespace det::store
