#include "store/listing/run_list_store.h"

#include <algorithm>
#include <set>

#include "store/listing/list_statement.h"
#include "store/trials/trial_reader.h"

namespace det::store {
namespace {

using MetricKeys = std::set<std::pair<std::string, std::string>>;

constexpr std::int64_t kDefaultLimit = 100;

// Lists are asked for again and again, so that their pages are in memory: as dear as PostgreSQL takes single ones to be
// by default, it would read all runs for a tenth of them.
const char* const kTerms = "SET LOCAL statement_timeout = '10s'; SET LOCAL random_page_cost = 1.1";

const char* const kMetricIds =
    "SELECT n.grp, n.name, n.id FROM unnest($1::text[], $2::text[]) AS k (grp, name) "
    "JOIN run_metric_names n ON n.grp = k.grp AND n.name = k.name";

// Indexes trials_pkey, trials_experiment, checkpoints_trial.
const char* const kRuns =
    "SELECT r.id, r.start_time, r.end_time, r.state, e.labels, coalesce(c.bytes, 0), coalesce(c.n, 0), r.best_metric, "
    "r.hparams, e.owner_id, extract(epoch FROM coalesce(r.end_time, now()) - r.start_time)::bigint, e.project_id, "
    "p.name, p.key, w.id, w.name, w.archived OR p.archived, r.archived OR e.archived, rm.metadata, "
    "r.log_policy_matched, e.id, e.config #>> '{searcher,name}', e.searcher_metric, e.parent_id, "
    "coalesce(e.live ->> 'resource_pool', e.config #>> '{resources,resource_pool}'), e.progress, e.description, "
    "e.name, e.archived, "
    "e.unmanaged, e.external_id, r.external_id, e.state, e.config #>> '{searcher,name}' <> 'single' OR e.unmanaged AND "
    "EXISTS (SELECT FROM trials o WHERE o.experiment_id = e.id AND o.id <> r.id) "
    "FROM unnest($1::bigint[]) WITH ORDINALITY AS page (id, place) JOIN trials r ON r.id = page.id "
    "JOIN experiments e ON e.id = r.experiment_id JOIN projects p ON p.id = e.project_id "
    "JOIN workspaces w ON w.id = p.workspace_id LEFT JOIN run_metadata rm ON rm.trial_id = r.id "
    "LEFT JOIN LATERAL (SELECT count(*) AS n, least(coalesce(sum(c.size), 0), 9223372036854775807)::bigint AS bytes "
    "FROM "
    "checkpoints c WHERE c.trial_id = r.id "
    "AND c.state <> 'DELETED') c ON true ORDER BY page.place";

const char* const kSetArchived = "UPDATE trials SET archived = $2 WHERE id = ANY($1::bigint[]) AND archived <> $2";

// Nearly all runs are counted by those that are not shown: joining every run with its experiment takes four times as
// long as counting runs. Index experiments_project.
constexpr int kFewHidden = 20'000;
const char* const kHiddenExperiments =
    "SELECT count(*) FROM (SELECT FROM experiments e WHERE e.project_id = ANY(ARRAY(SELECT id FROM projects WHERE "
    "workspace_id <> ALL($1::bigint[]))) LIMIT $2) few";
const char* const kShownRuns =
    "SELECT (SELECT count(*) FROM trials) - (SELECT count(*) FROM trials r JOIN experiments e ON e.id = "
    "r.experiment_id "
    "WHERE e.project_id = ANY(ARRAY(SELECT id FROM projects WHERE workspace_id <> ALL($1::bigint[]))))";

void collect(const ListSubject& subject, MetricKeys& keys) {
  if (subject.place == ListPlace::kMetric) keys.emplace(subject.metric.group, subject.metric.name);
}

void collect(const FilterPart& part, MetricKeys& keys) {
  if (part.field) collect(part.field->subject, keys);
  for (const FilterPart& child : part.children) collect(child, keys);
}

MetricKeys metrics_of(const ListSearch& search) {
  MetricKeys keys;
  if (search.filter) collect(search.filter->root, keys);
  for (const ListOrder& one : search.orders) collect(one.subject, keys);
  return keys;
}

MetricIds find_metric_ids(pg::Transaction& tx, const MetricKeys& keys) {
  MetricIds ids;
  if (keys.empty()) return ids;
  std::vector<std::string> groups;
  std::vector<std::string> names;
  for (const auto& [group, name] : keys) {
    groups.push_back(group);
    names.push_back(name);
  }
  for (const auto& row : run_sql(tx, kMetricIds, text_array(groups), text_array(names))) {
    ids[{as_text(row[0]), as_text(row[1])}] = row[2].as<std::int64_t>();
  }
  return ids;
}

std::int64_t length_of(const ListSearch& search, std::int64_t left) {
  if (search.limit == -2) return 0;
  if (search.limit == -1) return left;
  return std::min(search.limit == 0 ? kDefaultLimit : search.limit, left);
}

// Of all runs that are shown; nothing where another way is as good.
std::optional<std::int64_t> count_shown(pg::Transaction& tx, const ListSearch& search) {
  const bool is_of_all = search.of == ListPlace::kRun && !search.project && !search.filter && search.ids.empty();
  if (!is_of_all || !search.visible) return std::nullopt;
  const std::string shown = id_array(*search.visible);
  const auto hidden = run_sql1(tx, kHiddenExperiments, shown, kFewHidden)[0].as<int>();
  if (hidden == kFewHidden) return std::nullopt;
  return run_sql1(tx, kShownRuns, shown)[0].as<std::int64_t>();
}

ListedIds find_ids(pg::Transaction& tx, const ListSearch& search) {
  ListStatement statement(search.of, search.default_pool, find_metric_ids(tx, metrics_of(search)));
  const bool is_of_runs = search.of == ListPlace::kRun;
  if (!is_of_runs) statement.require("e.state <> 'DELETING'");
  if (search.project) {
    statement.require("e.project_id = " + statement.bind(std::to_string(search.project->value)) + "::bigint");
  }
  if (search.visible) {
    statement.require("e.project_id = ANY(ARRAY(SELECT id FROM projects WHERE workspace_id = ANY(" +
                      statement.bind(id_array(*search.visible)) + "::bigint[])))");
  }
  if (!search.ids.empty()) {
    statement.require((is_of_runs ? "r.id" : "e.id") + (" = ANY(" + statement.bind(int_array(search.ids))) +
                      "::bigint[])");
  }
  if (search.filter) statement.require(*search.filter);
  ListedIds found;
  const auto shown = count_shown(tx, search);
  found.total = shown ? *shown : statement.count(tx);
  found.start = start_of(search.offset, found.total);
  const std::int64_t length = length_of(search, found.total - found.start);
  if (length == 0) return found;
  statement.order(search.orders);
  if (statement.leads_by_metric()) {
    found.ids = statement.ids(tx, found.start, length, true);
    if (static_cast<std::int64_t>(found.ids.size()) == length) return found;
  }
  found.ids = statement.ids(tx, found.start, length, false);
  return found;
}

RunExperiment read_run_experiment(const pqxx::row& row, pqxx::row::size_type at) {
  return {.id = {row[at].as<std::int64_t>()},
          .searcher = as_text(row[at + 1]),
          .searcher_metric = as_text(row[at + 2]),
          .forked_from = as_optional_id<model::ExperimentId>(row[at + 3]),
          .resource_pool = as_text(row[at + 4]),
          .progress = as_optional<double>(row[at + 5]),
          .description = as_text(row[at + 6]),
          .name = as_text(row[at + 7]),
          .archived = row[at + 8].as<bool>(),
          .is_unmanaged = row[at + 9].as<bool>(),
          .external_id = as_text(row[at + 10]),
          .has_other_runs = row[at + 13].as<bool>(false)};
}

RunRow read_run(const pqxx::row& row) {
  return {.id = {row[0].as<std::int64_t>()},
          .start_time = as_time(row[1]),
          .end_time = as_optional_time(row[2]),
          .state = shown_state(as_state(row[3], model::parse_trial_state), as_text(row[32])),
          .labels = as_json(row[4]).get<std::vector<std::string>>(),
          .checkpoint_bytes = row[5].as<std::int64_t>(),
          .checkpoint_count = row[6].as<std::int64_t>(),
          .searcher_metric_value = as_optional<double>(row[7]),
          .hparams = as_json(row[8]),
          .summaries = {},
          .owner = {row[9].as<std::int64_t>()},
          .seconds = row[10].as<std::int64_t>(),
          .project = {row[11].as<std::int64_t>()},
          .project_name = as_text(row[12]),
          .project_key = as_text(row[13]),
          .workspace = {row[14].as<std::int64_t>()},
          .workspace_name = as_text(row[15]),
          .is_parent_archived = row[16].as<bool>(),
          .archived = row[17].as<bool>(),
          .metadata = as_json(row[18]),
          .log_policy_matched = as_text(row[19]),
          .experiment = read_run_experiment(row, 20),
          .external_id = as_text(row[31])};
}

}  // namespace

Task<Result<ListedIds>> RunListStore::search(ListSearch search) {
  const Status fresh = co_await sums_.refresh();
  // What is only shown may be older than what decides.
  if (!fresh && !metrics_of(search).empty()) co_return std::unexpected(fresh.error());
  const auto turn = co_await searches_.wait(search.user);
  auto body = [s = std::move(search)](pg::Transaction& tx) -> Result<ListedIds> {
    tx.exec(kTerms);
    return find_ids(tx, s);
  };
  // Not read(): what is SET LOCAL ends with a transaction, and is nothing without one.
  co_return co_await pool_.write("search runs", std::move(body));
}

Task<Result<std::vector<RunRow>>> RunListStore::runs(std::vector<std::int64_t> ids) {
  auto body = [list = int_array(ids)](pg::Transaction& tx) -> Result<std::vector<RunRow>> {
    std::vector<RunRow> rows;
    for (const auto& row : run_sql(tx, kRuns, list)) rows.push_back(read_run(row));
    return rows;
  };
  auto rows = co_await pool_.read("read runs", std::move(body));
  DET_CO_TRY(rows);
  auto sums = co_await sums_.find(std::move(ids));
  DET_CO_TRY(sums);
  for (RunRow& row : *rows) row.summaries = std::move((*sums)[row.id]);
  co_return std::move(*rows);
}

Task<Status> RunListStore::set_archived(std::vector<std::int64_t> runs, bool archived) {
  auto body = [ids = int_array(runs), archived](pg::Transaction& tx) -> Status {
    run_sql(tx, kSetArchived, ids, archived);
    return {};
  };
  co_return co_await pool_.write("archive runs", std::move(body));
}

}  // namespace det::store
