#include "store/checkpoints/checkpoint_list.h"

#include "store/checkpoints/checkpoint_reader.h"
#include "store/metrics/metric_reader.h"

namespace det::store {
namespace {

// Columns after checkpoint_columns(); $1 is the metric's name, empty for the searcher's.
const char* const kViewColumns = ", t.experiment_id, e.config, t.hparams, score.metric, e.owner_id";
const char* const kOfTrials = "LEFT JOIN trials t ON t.id = c.trial_id ";
// Indexes checkpoints_trial, trials_experiment.
std::string scores() {
  return "LEFT JOIN experiments e ON e.id = t.experiment_id LEFT JOIN LATERAL (" +
         checkpoint_score("coalesce(nullif($1, ''), e.searcher_metric)") + ") score ON true ";
}

std::string select_views(const std::string& from) {
  return "SELECT " + checkpoint_columns() + kViewColumns + " FROM " + from +
         " JOIN tasks k ON k.number = c.task_number " + kOfTrials + scores();
}

bool is_by_metric(CheckpointSort sort) {
  return sort == CheckpointSort::kSearcherMetric || sort == CheckpointSort::kMetric;
}

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
    return " ORDER BY CASE WHEN e.smaller_is_better THEN score.metric ELSE -score.metric END ASC NULLS LAST, "
           "c.report_time, c.uuid";
  }
  const Order order = query.order.value_or(Order::kAscending);
  const bool is_nullable = is_by_metric(query.sort) || query.sort == CheckpointSort::kTrialId;
  const std::string way(plain_direction(order));
  return " ORDER BY " + sort + std::string(is_nullable ? direction(order) : way) + ", c.report_time" + way + ", c.uuid";
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

// Of the page `read` makes items, given what names its uuids in order, as page (uuid, place), and a function that runs
// statements which have it in them. Their $1 is the metric's name.
template <typename Item, typename Read>
Result<Paged<Item>> read_page(pg::Transaction& tx, const CheckpointQuery& query, Read read) {
  std::optional<std::int64_t> trial;
  std::optional<std::int64_t> experiment;
  if (query.trial) trial = query.trial->value;
  if (query.experiment) experiment = query.experiment->value;
  const std::string states = word_array(query.states);
  Paged<Item> page;
  const std::string count = std::string("SELECT count(*) FROM checkpoints c ") + kOfTrials + filter_of(query, 1);
  page.total = run_sql1(tx, count, trial, experiment, states)[0].as<std::int64_t>();
  const auto offset = page_offset(query.page, page.total);
  DET_TRY(offset);
  page.offset = *offset;
  // What the metric was is looked up for the page only, unless the order is by it.
  const std::string ids = std::string("SELECT c.uuid FROM checkpoints c ") + kOfTrials +
                          (is_by_metric(query.sort) ? scores() : "") + filter_of(query, 2) + order_by(query) +
                          " LIMIT $5 OFFSET $6";
  page.items = read("unnest(ARRAY(" + ids + ")) WITH ORDINALITY AS page (uuid, place)", [&](const std::string& sql) {
    return run_sql(tx, sql, query.named_metric(), trial, experiment, states, page_limit(query.page), *offset);
  });
  return page;
}

}  // namespace

Result<std::optional<CheckpointView>> find_checkpoint_view(pg::Transaction& tx, const std::string& uuid) {
  auto views = read_views(tx, run_sql(tx, select_views("checkpoints c") + "WHERE c.uuid = $2", "", uuid));
  if (views.empty()) return std::nullopt;
  return std::move(views.front());
}

std::map<std::string, CheckpointView> checkpoint_views(pg::Transaction& tx, const std::vector<std::string>& uuids,
                                                       const std::string& metric) {
  std::map<std::string, CheckpointView> views;
  const std::string sql = select_views("checkpoints c") + "WHERE c.uuid = ANY($2::uuid[])";
  for (CheckpointView& view : read_views(tx, run_sql(tx, sql, metric, text_array(uuids)))) {
    const std::string uuid = view.row.uuid;
    views.emplace(uuid, std::move(view));
  }
  return views;
}

Result<Paged<CheckpointView>> list_checkpoints(pg::Transaction& tx, const CheckpointQuery& query) {
  return read_page<CheckpointView>(tx, query, [&tx](const std::string& page, const auto& run) {
    return read_views(tx,
                      run(select_views(page + " JOIN checkpoints c ON c.uuid = page.uuid") + "ORDER BY page.place"));
  });
}

Result<Paged<std::string>> list_checkpoint_uuids(pg::Transaction& tx, const CheckpointQuery& query) {
  return read_page<std::string>(tx, query, [](const std::string& page, const auto& run) {
    std::vector<std::string> uuids;
    // $1 is used, whatever the order is by.
    for (const auto& row : run("SELECT uuid FROM " + page + " WHERE $1::text IS NOT NULL ORDER BY place")) {
      uuids.push_back(as_text(row[0]));
    }
    return uuids;
  });
}

}  // namespace det::store
