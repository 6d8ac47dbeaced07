#include "store/experiments/experiment_list.h"

#include <unordered_set>
#include <utility>

#include "base/mutex.h"
#include "store/experiments/experiment_pool.h"
#include "store/experiments/experiment_reader.h"

namespace det::store {
namespace {

// LEFT, so that the join is dropped where the order asks for no name.
const char* const kFrom = " FROM experiments e LEFT JOIN users u ON u.id = e.owner_id ";

const char* const kArchivedProjects =
    "SELECT ARRAY(SELECT p.id FROM projects p JOIN workspaces w ON w.id = p.workspace_id WHERE p.archived OR "
    "w.archived)::text";

// Filters and orders make hundreds of thousands of statements, and a connection forgets none that it has prepared.
// Those that are asked for first, by pages and programs that ask all day, are worth it. Thread safe.
class FirstStatements {
 public:
  bool has(const std::string& sql) {
    const MutexLock lock(mutex_);
    return known_.contains(sql) || (known_.size() < kMost && known_.insert(sql).second);
  }

 private:
  static constexpr std::size_t kMost = 200;
  Mutex mutex_;
  std::unordered_set<std::string> known_ DET_GUARDED_BY(mutex_);
};

FirstStatements& first_statements() {
  static FirstStatements statements;
  return statements;
}

// The conditions of a list and their parameters. Only what is asked for stands in the statement, so that a count
// without filters reads an index and not 10,000 rows. Indexes experiments_archived, experiments_listed,
// experiments_owner, experiments_project.
class Conditions {
 public:
  explicit Conditions(const ExperimentFilter& f) {
    if (f.archived) add("e.archived = " + bind(*f.archived ? "true" : "false") + "::boolean");
    if (!f.users.empty()) {
      add("e.owner_id = ANY(ARRAY(SELECT id FROM users WHERE username = ANY(" + bind(text_array(f.users)) +
          "::text[])))");
    }
    if (!f.user_ids.empty()) add("e.owner_id = ANY(" + bind(id_array(f.user_ids)) + "::bigint[])");
    if (!f.states.empty()) add("e.state = ANY(" + bind(word_array(f.states)) + "::text[])");
    if (!f.name.empty()) add("position(lower(" + bind(f.name) + ") IN lower(e.name)) > 0");
    if (!f.description.empty()) add("position(lower(" + bind(f.description) + ") IN lower(e.description)) > 0");
    if (!f.labels.empty()) add("e.labels @> " + bind(json_text(f.labels)) + "::jsonb");
    if (f.project) add("e.project_id = " + bind(std::to_string(f.project->value)) + "::bigint");
    if (f.visible) {
      add("e.project_id = ANY(ARRAY(SELECT id FROM projects WHERE workspace_id = ANY(" + bind(id_array(*f.visible)) +
          "::bigint[])))");
    }
    compare("e.id > ", f.ids.above);
    compare("e.id >= ", f.ids.at_least);
    compare("e.id < ", f.ids.below);
    compare("e.id <= ", f.ids.at_most);
    if (!f.ids.among.empty()) add("e.id = ANY(" + bind(int_array(f.ids.among)) + "::bigint[])");
    if (!f.ids.not_among.empty()) add("e.id <> ALL(" + bind(int_array(f.ids.not_among)) + "::bigint[])");
  }

  // Who asks for what is not archived, of all projects, means these neither. Mostly there are none.
  void leave_out(const std::string& projects) {
    if (projects != "{}") add("e.project_id <> ALL(" + bind(projects) + "::bigint[])");
  }

  [[nodiscard]] const std::string& where() const { return where_; }
  // The parameter's name in the statement.
  std::string bind(std::string value) {
    parameters_.push_back(std::move(value));
    return "$" + std::to_string(parameters_.size());
  }
  [[nodiscard]] pqxx::result select(pg::Transaction& tx, const std::string& sql) const {
    const auto parameters = pqxx::prepare::make_dynamic_params(parameters_);
    return first_statements().has(sql) ? run_sql(tx, sql, parameters) : tx.exec_params(sql, parameters);
  }

 private:
  void compare(const std::string& left, const std::optional<std::int64_t>& right) {
    if (right) add(left + bind(std::to_string(*right)) + "::bigint");
  }
  void add(const std::string& condition) { where_ += (where_.empty() ? "WHERE " : " AND ") + condition; }

  std::string where_;
  std::vector<std::string> parameters_;
};

// Of experiment `e` of user `u`. Only what is never NULL can be an index read backwards.
struct SortKey {
  std::string expression;
  bool is_nullable = true;
};

SortKey sort_key(ExperimentSort sort) {
  switch (sort) {
    case ExperimentSort::kId:
      return {.expression = "e.id", .is_nullable = false};
    case ExperimentSort::kDescription:
      return {.expression = "e.description", .is_nullable = false};
    case ExperimentSort::kName:
      return {.expression = "e.name", .is_nullable = false};
    case ExperimentSort::kStartTime:  // index experiments_start_time
      return {.expression = "e.start_time", .is_nullable = false};
    case ExperimentSort::kEndTime:
      return {.expression = "e.end_time"};
    case ExperimentSort::kState:
      return {.expression = "e.state", .is_nullable = false};
    case ExperimentSort::kNumTrials:
      return {.expression = "(SELECT count(*) FROM trials t WHERE t.experiment_id = e.id)", .is_nullable = false};
    case ExperimentSort::kProgress:
      return {.expression = "coalesce(e.progress, 0)", .is_nullable = false};
    case ExperimentSort::kUser:
      return {.expression = "coalesce(nullif(u.display_name, ''), u.username)"};
    case ExperimentSort::kForkedFrom:
      return {.expression = "e.parent_id"};
    case ExperimentSort::kResourcePool:
      return {.expression = kPoolOfExperiment};
    case ExperimentSort::kProjectId:
      return {.expression = "e.project_id", .is_nullable = false};
    case ExperimentSort::kCheckpointSize:
      return {.expression = "(SELECT least(coalesce(sum(c.size), 0), 9223372036854775807)::bigint" +
                            experiment_checkpoints() + ")",
              .is_nullable = false};
    case ExperimentSort::kCheckpointCount:
      return {.expression = "(SELECT count(*)" + experiment_checkpoints() + ")", .is_nullable = false};
    case ExperimentSort::kSearcherMetric:
      return {.expression = "(SELECT nullif(t.best_metric, 'NaN')" + experiment_best_trial() + ")"};
  }
  return {.expression = "e.id", .is_nullable = false};
}

std::string order_by(const ExperimentFilter& filter) {
  const std::string by_id = "e.id" + std::string(plain_direction(filter.order));
  if (filter.sort == ExperimentSort::kId) return " ORDER BY " + by_id;
  const SortKey key = sort_key(filter.sort);
  const auto way = key.is_nullable ? direction(filter.order) : plain_direction(filter.order);
  return " ORDER BY " + key.expression + std::string(way) + ", " + by_id;
}

// The statement of a page's ids, and where the page is.
struct Listing {
  Conditions conditions;
  std::int64_t offset = 0;
  std::int64_t total = 0;
  std::string ids;
};

Result<Listing> prepare_listing(pg::Transaction& tx, const ExperimentFilter& filter) {
  Listing page{.conditions = Conditions(filter), .ids = {}};
  Conditions& conditions = page.conditions;
  if (filter.archived && !*filter.archived && !filter.project) {
    conditions.leave_out(as_text(run_sql1(tx, kArchivedProjects)[0]));
  }
  page.total =
      conditions.select(tx, std::string("SELECT count(*)") + kFrom + conditions.where())[0][0].as<std::int64_t>();
  page.offset = start_of(filter.page.offset, page.total);
  page.ids = std::string("SELECT e.id") + kFrom + conditions.where() + order_by(filter);
  // Behind a sub-select, the planner does not see how long the page is: else it would plan the statement anew for each
  // page, which takes ten times as long as running it.
  if (const auto limit = page_limit(filter.page)) {
    page.ids += " LIMIT (SELECT " + conditions.bind(std::to_string(*limit)) + "::bigint)";
  }
  page.ids += " OFFSET (SELECT " + conditions.bind(std::to_string(page.offset)) + "::bigint)";
  return page;
}

}  // namespace

Result<Paged<ExperimentView>> list_experiments(pg::Transaction& tx, const ExperimentFilter& filter) {
  const auto listing = prepare_listing(tx, filter);
  DET_TRY(listing);
  Paged<ExperimentView> page{.items = {}, .offset = listing->offset, .total = listing->total};
  for (const auto& row : listing->conditions.select(tx, select_experiment_views(listing->ids))) {
    page.items.push_back(read_experiment_view(row));
  }
  return page;
}

Result<Paged<model::ExperimentId>> list_experiment_ids(pg::Transaction& tx, const ExperimentFilter& filter) {
  const auto listing = prepare_listing(tx, filter);
  DET_TRY(listing);
  Paged<model::ExperimentId> page{.items = {}, .offset = listing->offset, .total = listing->total};
  for (const auto& row : listing->conditions.select(tx, listing->ids)) {
    page.items.push_back({row[0].as<std::int64_t>()});
  }
  return page;
}

}  // namespace det::store
