#include "store/checkpoints/checkpoint_store.h"

#include <utility>

#include "base/encoding.h"
#include "store/checkpoints/checkpoint_reader.h"
#include "store/metrics/metric_reader.h"

namespace det::store {
namespace {

const char* const kReport =
    "INSERT INTO checkpoints (uuid, task_number, trial_id, allocation_id, report_time, state, steps, metadata, "
    "resources, size, "
    "storage_id) SELECT $1, k.number, t.id, $3, $4, $5, $6, $7, $8, $9, $10 FROM tasks k "
    "LEFT JOIN trials t ON t.task_number = k.number WHERE k.id = $2 "
    "ON CONFLICT (uuid) DO UPDATE SET report_time = excluded.report_time, state = excluded.state, steps = "
    "excluded.steps, "
    "metadata = excluded.metadata, resources = excluded.resources, size = excluded.size, storage_id = "
    "excluded.storage_id WHERE checkpoints.task_number = excluded.task_number";
const char* const kIsKnown = "SELECT 1 FROM checkpoints WHERE uuid = $1";
const char* const kTasksOf =
    "SELECT DISTINCT k.id FROM checkpoints c JOIN tasks k ON k.number = c.task_number WHERE c.uuid = ANY($1::uuid[])";
// Index checkpoints_trial.
const char* const kLatest =
    "SELECT uuid, steps FROM checkpoints WHERE trial_id = $1 AND state = 'COMPLETED' ORDER BY steps DESC, report_time "
    "DESC "
    "LIMIT 1";
const char* const kUsable = "SELECT uuid FROM checkpoints WHERE uuid::text = lower($1) AND state = 'COMPLETED'";
const char* const kLock = "SELECT state, resources FROM checkpoints WHERE uuid = $1 FOR UPDATE";
const char* const kPatch = "UPDATE checkpoints SET state = $2, resources = $3, size = $4 WHERE uuid = $1";

// Columns after checkpoint_columns(); $1 of list is the metric's name for kMetric.
const char* const kViewColumns = ", t.experiment_id, e.config, t.hparams, score.metric, e.owner_id";
// Indexes checkpoints_trial, trials_experiment_id_request_id_key, series_trial_id_grp_run_names_id_key, metrics_pkey.
const char* const kViewFrom =
    " FROM checkpoints c JOIN tasks k ON k.number = c.task_number LEFT JOIN trials t ON t.id = c.trial_id "
    "LEFT JOIN experiments e ON e.id = t.experiment_id LEFT JOIN LATERAL ("
    "SELECT m.values[array_position(n.names, coalesce(nullif($1, ''), e.searcher_metric))] AS metric FROM "
    "visible_series s "
    "JOIN metric_names n ON n.id = s.names_id JOIN metrics m ON m.series_id = s.id AND m.steps = c.steps "
    "AND m.steps <= s.last_steps WHERE s.trial_id = t.id AND s.grp = 'validation' "
    "AND coalesce(nullif($1, ''), e.searcher_metric) = ANY(n.names) ORDER BY s.run DESC LIMIT 1) score ON true ";
const char* const kCount = "SELECT count(*) FROM checkpoints c LEFT JOIN trials t ON t.id = c.trial_id ";

const char* const kMakeStorage =
    "INSERT INTO storages (hash, config) VALUES (decode($1, 'hex'), $2) ON CONFLICT DO NOTHING";
const char* const kFindStorage = "SELECT id FROM storages WHERE hash = decode($1, 'hex')";

std::string_view sort_expression(CheckpointSort sort) {
  switch (sort) {
    case CheckpointSort::kUuid:
      return "c.uuid";
    case CheckpointSort::kTrialId:
      return "c.trial_id";
    case CheckpointSort::kSteps:
      return "c.steps";
    case CheckpointSort::kReportTime:
      return "c.report_time";
    case CheckpointSort::kState:
      return "c.state";
    case CheckpointSort::kSearcherMetric:
    case CheckpointSort::kMetric:
      return "score.metric";
  }
  return "c.report_time";
}

std::string order_by(const CheckpointQuery& query) {
  const std::string sort(sort_expression(query.sort));
  if (query.sort == CheckpointSort::kSearcherMetric && !query.order) {
    return " ORDER BY CASE WHEN e.smaller_is_better THEN score.metric ELSE -score.metric END ASC NULLS LAST, c.uuid";
  }
  return " ORDER BY " + sort + std::string(direction(query.order.value_or(Order::kAscending))) + ", c.uuid";
}

// Parameters: the trial, the experiment, the states, from $`first` on. What is not asked for is not in the text: plans
// do not depend on values.
std::string filter_of(const CheckpointQuery& query, int first) {
  const auto parameter = [first](int place) { return "$" + std::to_string(first + place); };
  const auto is = [&](const char* column, int place, bool wanted) {
    return wanted ? std::string(column) + " = " + parameter(place) : parameter(place) + "::bigint IS NULL";
  };
  return "WHERE " + is("c.trial_id", 0, query.trial.has_value()) + " AND " +
         is("t.experiment_id", 1, query.experiment.has_value()) + " AND (" + parameter(2) +
         "::text[] = '{}' OR c.state = ANY(" + parameter(2) + "::text[]))";
}

std::int64_t sum_of(const nlohmann::json& resources) {
  std::int64_t bytes = 0;
  for (const auto& size : resources) bytes += size.is_number() ? size.get<std::int64_t>() : 0;
  return bytes;
}

std::vector<CheckpointView> read_views(pg::Transaction& tx, const pqxx::result& rows) {
  std::vector<CheckpointView> views;
  std::vector<TrialSteps> places;
  for (const auto& row : rows) {
    CheckpointView view{.row = read_checkpoint(row),
                        .experiment = as_optional_id<model::ExperimentId>(row[kCheckpointColumns]),
                        .owner = as_optional_id<model::UserId>(row[kCheckpointColumns + 4]),
                        .experiment_config = as_json(row[kCheckpointColumns + 1]),
                        .hparams = as_json(row[kCheckpointColumns + 2]),
                        .searcher_metric = as_optional<double>(row[kCheckpointColumns + 3]),
                        .validation_metrics = nullptr,
                        .training_metrics = nullptr};
    if (view.row.trial) places.emplace_back(view.row.trial->value, view.row.steps);
    views.push_back(std::move(view));
  }
  const auto validation = metrics_at(tx, "validation", places);
  const auto training = metrics_at(tx, "training", places);
  for (CheckpointView& view : views) {
    if (!view.row.trial) continue;
    const TrialSteps place{view.row.trial->value, view.row.steps};
    if (const auto found = validation.find(place); found != validation.end()) {
      view.validation_metrics = found->second.metrics;
    }
    if (const auto found = training.find(place); found != training.end()) view.training_metrics = found->second.metrics;
  }
  return views;
}

Status patch_one(pg::Transaction& tx, const std::string& uuid, const nlohmann::json& remaining) {
  const pqxx::result found = run_sql(tx, kLock, uuid);
  if (found.empty()) return not_found("checkpoint", uuid);
  auto state = as_state(found[0][0], model::parse_checkpoint_state);
  if (remaining.empty()) {
    state = model::CheckpointState::kDeleted;
  } else if (remaining != as_json(found[0][1])) {
    state = model::CheckpointState::kPartiallyDeleted;
  }
  run_sql(tx, kPatch, uuid, word(state), json_text(remaining), sum_of(remaining));
  return {};
}

}  // namespace

Task<Status> CheckpointStore::report(CheckpointRow checkpoint) {
  auto body = [c = std::move(checkpoint)](pg::Transaction& tx) -> Status {
    const pqxx::result inserted =
        run_sql(tx, kReport, c.uuid, c.task_id, c.allocation_id, format_rfc3339_micros(c.report_time), word(c.state),
                c.steps, json_text(c.metadata), json_text(c.resources), sum_of(c.resources), c.storage_id);
    if (inserted.affected_rows() == 0 && !run_sql(tx, kIsKnown, c.uuid).empty()) {
      return fail(ErrorCode::kAlreadyExists, "checkpoint '" + c.uuid + "' was made by another task", "uuid");
    }
    return changed_one(inserted, "task", c.task_id);
  };
  co_return co_await pool_.write("report checkpoint", std::move(body));
}

Task<Result<std::vector<std::string>>> CheckpointStore::tasks_of(std::vector<std::string> uuids) {
  auto body = [uuids = std::move(uuids)](pg::Transaction& tx) -> Result<std::vector<std::string>> {
    std::vector<std::string> tasks;
    for (const auto& row : run_sql(tx, kTasksOf, text_array(uuids))) tasks.push_back(as_text(row[0]));
    return tasks;
  };
  co_return co_await pool_.read("tasks of checkpoints", std::move(body));
}

Task<Result<std::optional<CheckpointView>>> CheckpointStore::find(std::string uuid) {
  auto body = [uuid](pg::Transaction& tx) -> Result<std::optional<CheckpointView>> {
    const std::string sql = "SELECT " + checkpoint_columns() + kViewColumns + kViewFrom + "WHERE c.uuid = $2";
    auto views = read_views(tx, run_sql(tx, sql, "", uuid));
    if (views.empty()) return std::nullopt;
    return std::move(views.front());
  };
  co_return co_await pool_.read("find checkpoint", std::move(body));
}

Task<Result<Paged<CheckpointView>>> CheckpointStore::list(CheckpointQuery query) {
  auto body = [q = std::move(query)](pg::Transaction& tx) -> Result<Paged<CheckpointView>> {
    std::optional<std::int64_t> trial;
    std::optional<std::int64_t> experiment;
    if (q.trial) trial = q.trial->value;
    if (q.experiment) experiment = q.experiment->value;
    const std::string states = word_array(q.states);
    Paged<CheckpointView> page;
    page.total = run_sql1(tx, kCount + filter_of(q, 1), trial, experiment, states)[0].as<std::int64_t>();
    const auto offset = page_offset(q.page, page.total);
    DET_TRY(offset);
    page.offset = *offset;
    const std::string sql = "SELECT " + checkpoint_columns() + kViewColumns + kViewFrom + filter_of(q, 2) +
                            order_by(q) + " LIMIT $5 OFFSET $6";
    const std::string metric = q.sort == CheckpointSort::kMetric ? q.metric : "";
    page.items = read_views(tx, run_sql(tx, sql, metric, trial, experiment, states, page_limit(q.page), *offset));
    return page;
  };
  co_return co_await pool_.read("list checkpoints", std::move(body));
}

Task<Result<std::optional<LatestCheckpoint>>> CheckpointStore::latest(model::TrialId trial) {
  auto body = [trial](pg::Transaction& tx) -> Result<std::optional<LatestCheckpoint>> {
    const pqxx::result found = run_sql(tx, kLatest, trial.value);
    if (found.empty()) return std::nullopt;
    return LatestCheckpoint{.uuid = as_text(found[0][0]), .steps = found[0][1].as<std::int64_t>()};
  };
  co_return co_await pool_.read("find latest checkpoint", std::move(body));
}

Task<Result<std::string>> CheckpointStore::warm_start(std::optional<std::string> uuid,
                                                      std::optional<model::TrialId> trial) {
  if (!uuid && !trial) co_return std::string();
  auto body = [=](pg::Transaction& tx) -> Result<std::string> {
    const pqxx::result found = uuid ? run_sql(tx, kUsable, *uuid) : run_sql(tx, kLatest, trial->value);
    if (!found.empty()) return as_text(found[0][0]);
    if (uuid) {
      return fail(ErrorCode::kInvalidArgument, "no completed checkpoint '" + *uuid + "' exists",
                  "searcher.source_checkpoint_uuid");
    }
    return fail(ErrorCode::kInvalidArgument, "no checkpoint found for source trial " + to_string(*trial),
                "searcher.source_trial_id");
  };
  co_return co_await pool_.read("find source checkpoint", std::move(body));
}

Task<Status> CheckpointStore::patch(CheckpointPatches patches) {
  // The order of the map: two of these never wait for each other.
  auto body = [patches = std::move(patches)](pg::Transaction& tx) -> Status {
    for (const auto& [uuid, remaining] : patches) {
      const Status done = patch_one(tx, uuid, remaining);
      if (!done) return done;
    }
    return {};
  };
  co_return co_await pool_.write("patch checkpoints", std::move(body));
}

Task<Result<std::int64_t>> CheckpointStore::storage_id(nlohmann::json storage_config) {
  const std::string text = json_text(storage_config);  // keys are sorted
  const std::string hash = sha256_hex(text);
  auto body = [=](pg::Transaction& tx) -> Result<std::int64_t> {
    const pqxx::result known = run_sql(tx, kFindStorage, hash);
    if (!known.empty()) return known[0][0].as<std::int64_t>();
    run_sql(tx, kMakeStorage, hash, text);
    return run_sql1(tx, kFindStorage, hash)[0].as<std::int64_t>();
  };
  co_return co_await pool_.write("find storage", std::move(body));
}

}  // namespace det::store
