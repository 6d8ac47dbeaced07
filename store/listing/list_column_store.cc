#include "store/listing/list_column_store.h"

#include <utility>

#include "store/sql.h"

namespace det::store {
namespace {

// Indexes experiments_project, trials_experiment, trials_best, run_metrics_pkey.
const std::string kNewestRuns =
    "WITH newest AS MATERIALIZED (SELECT t.id, t.best_metric FROM trials t JOIN experiments e ON e.id = "
    "t.experiment_id "
    "WHERE e.project_id = $1 ORDER BY t.id DESC LIMIT 10000) ";
const std::string kBestRuns =
    "WITH newest AS MATERIALIZED (SELECT b.id, b.best_metric FROM (SELECT id FROM experiments WHERE project_id = $1 "
    "ORDER BY id DESC LIMIT 10000) e CROSS JOIN LATERAL (SELECT t.id, t.best_metric FROM trials t "
    "WHERE t.experiment_id = e.id AND t.best_rank IS NOT NULL ORDER BY t.best_rank LIMIT 1) b) ";

// The least, or the largest, of the numbers among them: one run that diverged is not what the others are drawn by.
std::string span_of(const std::string& value, const std::string& end = "min") {
  return end + "(" + value + ") FILTER (WHERE " + value + " > '-Infinity' AND " + value + " < 'Infinity')";
}

const std::string kMetrics =
    "SELECT n.grp, n.name FROM run_metric_names n WHERE n.id IN (SELECT m.metric_id FROM newest r "
    "JOIN run_metrics m ON m.trial_id = r.id) ORDER BY 1, 2 LIMIT $2";

const std::string kSpans =
    "SELECT n.grp, n.name, s.last_min, s.last_max, s.min_min, s.min_max, s.max_min, s.max_max, s.mean_min, s.mean_max "
    "FROM (SELECT m.metric_id, " +
    span_of("m.last") + " AS last_min, " + span_of("m.last", "max") + " AS last_max, " + span_of("m.min") +
    " AS min_min, " + span_of("m.min", "max") + " AS min_max, " + span_of("m.max") + " AS max_min, " +
    span_of("m.max", "max") + " AS max_max, " + span_of("m.mean") + " AS mean_min, " + span_of("m.mean", "max") +
    " AS mean_max FROM newest r JOIN run_metrics m ON m.trial_id = r.id GROUP BY 1) s "
    "JOIN run_metric_names n ON n.id = s.metric_id ORDER BY 1, 2 LIMIT $2";
const std::string kSearcherSpan =
    "SELECT " + span_of("best_metric") + ", " + span_of("best_metric", "max") + " FROM newest";

const char* const kLabels =
    "SELECT l.label FROM (SELECT e.labels FROM experiments e JOIN projects p ON p.id = e.project_id "
    "WHERE ($1::bigint[] IS NULL OR p.workspace_id = ANY($1)) AND ($2::bigint IS NULL OR e.project_id = $2) "
    "AND e.labels <> '[]' ORDER BY e.id DESC LIMIT 10000) n "
    "CROSS JOIN LATERAL jsonb_array_elements_text(n.labels) l (label) WHERE octet_length(l.label) <= 1000 "
    "GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT $3";

// The leaves of documents; what `is_leaf` says of value `v` ends the walk.
std::string leaves(const std::string& documents, const std::string& is_leaf, const std::string& type) {
  return "WITH RECURSIVE documents AS MATERIALIZED (" + documents +
         "), walk (name, v, depth) AS (SELECT k.key, k.value, 1 FROM documents d "
         "CROSS JOIN LATERAL jsonb_each(d.v) k WHERE jsonb_typeof(d.v) = 'object' UNION ALL "
         "SELECT w.name || '.' || k.key, k.value, w.depth + 1 FROM walk w CROSS JOIN LATERAL jsonb_each(w.v) k "
         "WHERE NOT (" +
         is_leaf + ") AND w.depth < 20) SELECT w.name, to_json(array_agg(DISTINCT " + type + ")) FROM walk w WHERE " +
         is_leaf + " AND octet_length(w.name) <= 1000 GROUP BY 1 ORDER BY 1 LIMIT $2";
}
const char* const kIsNoObject = "jsonb_typeof(w.v) <> 'object'";

const std::string kSearched = leaves(
    "SELECT DISTINCT x.v FROM (SELECT config -> 'hyperparameters' AS v FROM experiments WHERE project_id = $1 "
    "ORDER BY id DESC LIMIT 10000) x",
    "(jsonb_typeof(w.v) <> 'object' OR coalesce(w.v ->> 'type', '') IN ('const', 'int', 'double', 'log', "
    "'categorical'))",
    "CASE WHEN jsonb_typeof(w.v) <> 'object' THEN jsonb_typeof(w.v) "
    "WHEN w.v ->> 'type' IN ('int', 'double', 'log') THEN 'number' "
    "WHEN w.v ->> 'type' = 'const' THEN coalesce(jsonb_typeof(w.v -> 'val'), 'null') ELSE 'mixed' END");
const std::string kRunHyperparameters = leaves(
    "SELECT t.hparams AS v FROM trials t JOIN experiments e ON e.id = t.experiment_id WHERE e.project_id = $1 "
    "ORDER BY t.id DESC LIMIT 10000",
    kIsNoObject, "jsonb_typeof(w.v)");
const std::string kNewestMetadata =
    "SELECT m.metadata AS v FROM run_metadata m JOIN trials t ON t.id = m.trial_id "
    "JOIN experiments e ON e.id = t.experiment_id WHERE e.project_id = $1 ORDER BY m.trial_id DESC LIMIT 10000";
const std::string kMetadata = leaves(kNewestMetadata, kIsNoObject,
                                     "CASE WHEN jsonb_typeof(w.v) <> 'string' THEN jsonb_typeof(w.v) "
                                     "WHEN time_or_null(w.v #>> '{}') IS NULL THEN 'string' ELSE 'date' END");
const std::string kMetadataTexts =
    "SELECT DISTINCT k.v #>> '{}' FROM (" + kNewestMetadata +
    ") d CROSS JOIN LATERAL jsonb_path_query(d.v, $3::jsonpath) AS k (v) WHERE jsonb_typeof(k.v) = 'string' "
    "ORDER BY 1 LIMIT $2";

}  // namespace

Task<Result<std::vector<std::pair<std::string, std::string>>>> ListColumnStore::metrics(model::ProjectId project) {
  using Names = std::vector<std::pair<std::string, std::string>>;
  DET_CO_TRY(co_await sums_.refresh());
  auto body = [=](pg::Transaction& tx) -> Result<Names> {
    Names names;
    for (const auto& row : run_sql(tx, kNewestRuns + kMetrics, project.value, kMost)) {
      names.emplace_back(as_text(row[0]), as_text(row[1]));
    }
    return names;
  };
  const auto turn = co_await reads_.wait(to_string(project));
  co_return co_await pool_.read("metrics of a project", std::move(body));
}

Task<Result<std::vector<MetricSpan>>> ListColumnStore::spans(model::ProjectId project) {
  DET_CO_TRY(co_await sums_.refresh());
  auto body = [=](pg::Transaction& tx) -> Result<std::vector<MetricSpan>> {
    using enum MetricNumber;
    std::vector<MetricSpan> spans;
    for (const auto& row : run_sql(tx, kBestRuns + kSpans, project.value, kMost)) {
      pqxx::row::size_type at = 2;
      for (const MetricNumber number : {kLast, kMin, kMax, kMean}) {
        const auto place = std::exchange(at, at + 2);
        if (row[place].is_null()) continue;
        spans.push_back({.group = as_text(row[0]),
                         .name = as_text(row[1]),
                         .number = number,
                         .min = row[place].as<double>(),
                         .max = row[place + 1].as<double>()});
      }
    }
    const pqxx::row searcher = run_sql1(tx, kBestRuns + kSearcherSpan, project.value);
    if (!searcher[0].is_null()) {
      spans.push_back({.group = {}, .name = {}, .min = searcher[0].as<double>(), .max = searcher[1].as<double>()});
    }
    return spans;
  };
  const auto turn = co_await reads_.wait(to_string(project));
  co_return co_await pool_.read("ranges of metrics", std::move(body));
}

Task<Result<std::vector<NamedTypes>>> ListColumnStore::searched(model::ProjectId project) {
  return named("hyperparameters of searches", kSearched.c_str(), project);
}

Task<Result<std::vector<NamedTypes>>> ListColumnStore::run_hyperparameters(model::ProjectId project) {
  return named("hyperparameters of runs", kRunHyperparameters.c_str(), project);
}

Task<Result<std::vector<NamedTypes>>> ListColumnStore::metadata(model::ProjectId project) {
  return named("metadata of runs", kMetadata.c_str(), project);
}

Task<Result<std::vector<NamedTypes>>> ListColumnStore::named(std::string name, const char* statement,
                                                             model::ProjectId project) {
  auto body = [statement, project](pg::Transaction& tx) -> Result<std::vector<NamedTypes>> {
    std::vector<NamedTypes> found;
    for (const auto& row : run_sql(tx, statement, project.value, kMost)) {
      found.push_back({.name = as_text(row[0]), .types = as_json(row[1]).get<std::vector<std::string>>()});
    }
    return found;
  };
  const auto turn = co_await reads_.wait(to_string(project));
  co_return co_await pool_.read(std::move(name), std::move(body));
}

Task<Result<std::vector<std::string>>> ListColumnStore::labels(std::optional<std::vector<model::WorkspaceId>> visible,
                                                               std::optional<model::ProjectId> project) {
  const auto workspaces = id_array_or_null(visible);
  std::optional<std::int64_t> of_project;
  if (project) of_project = project->value;
  auto body = [workspaces, of_project](pg::Transaction& tx) -> Result<std::vector<std::string>> {
    std::vector<std::string> labels;
    for (const auto& row : run_sql(tx, kLabels, workspaces, of_project, kMost)) labels.push_back(as_text(row[0]));
    return labels;
  };
  const auto turn = co_await reads_.wait(of_project ? std::to_string(*of_project) : "labels");
  co_return co_await pool_.read("labels", std::move(body));
}

Task<Result<std::vector<std::string>>> ListColumnStore::metadata_texts(model::ProjectId project,
                                                                       std::vector<std::string> path) {
  auto body = [project, at = json_path(path)](pg::Transaction& tx) -> Result<std::vector<std::string>> {
    std::vector<std::string> texts;
    for (const auto& row : run_sql(tx, kMetadataTexts, project.value, kMost, at)) texts.push_back(as_text(row[0]));
    return texts;
  };
  const auto turn = co_await reads_.wait(to_string(project));
  co_return co_await pool_.read("texts in metadata", std::move(body));
}

}  // namespace det::store
