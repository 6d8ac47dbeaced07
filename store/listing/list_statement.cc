#include "store/listing/list_statement.h"

#include <cctype>
#include <ranges>
#include <set>

namespace det::store {
namespace {

// What is joined where a statement speaks of it by this name. LEFT, because it never takes a row away.
struct Joined {
  std::string_view name;
  std::string_view text;
  std::string_view needs = {};  // the name of another that it is found by; that one stands before it
};
constexpr Joined kJoined[] = {
    {"e", " LEFT JOIN experiments e ON e.id = r.experiment_id"},
    {"u", " LEFT JOIN users u ON u.id = e.owner_id", "e"},
    {"p", " LEFT JOIN projects p ON p.id = e.project_id", "e"},
    {"w", " LEFT JOIN workspaces w ON w.id = p.workspace_id", "p"},
    {"rm", " LEFT JOIN run_metadata rm ON rm.trial_id = r.id"},
};
// Indexes trials_archived, experiments_archived, trials_experiment. Each may be named twice.
constexpr int kFewArchived = 1'000;
constexpr const char* kArchivedRuns =
    "SELECT * FROM (SELECT id FROM trials WHERE archived UNION ALL SELECT t.id FROM experiments e JOIN trials t ON "
    "t.experiment_id = e.id WHERE e.archived) a LIMIT $1";
// Index trials_best.
constexpr const char* kBestRun =
    " LEFT JOIN LATERAL (SELECT t.* FROM trials t WHERE t.experiment_id = e.id AND t.best_rank IS NOT NULL "
    "ORDER BY t.best_rank LIMIT 1) r ON true";

std::string_view sql_of(FilterOperator op) {
  switch (op) {
    case FilterOperator::kNotEqual:
      return " <> ";
    case FilterOperator::kLess:
      return " < ";
    case FilterOperator::kLessOrEqual:
      return " <= ";
    case FilterOperator::kGreater:
      return " > ";
    case FilterOperator::kGreaterOrEqual:
      return " >= ";
    case FilterOperator::kEqual:
    case FilterOperator::kContains:
    case FilterOperator::kNotContains:
    case FilterOperator::kIsEmpty:
    case FilterOperator::kNotEmpty:
      return " = ";
  }
  return " = ";
}

// True also where a name within a subquery is the same, which costs a join.
bool speaks_of(const std::string& sql, std::string_view name) {
  const std::string column = std::string(name) + ".";
  for (auto at = sql.find(column); at != std::string::npos; at = sql.find(column, at + 1)) {
    if (at == 0 || (std::isalnum(static_cast<unsigned char>(sql[at - 1])) == 0 && sql[at - 1] != '_')) return true;
  }
  return false;
}

std::string with(const std::string& left, FilterOperator op, const std::string& right) {
  return left + std::string(sql_of(op)) + right;
}

// Of a metric that was measured.
bool is_of_sums(const FilterPart& part) {
  return part.field && part.field->subject.place == ListPlace::kMetric && part.field->op != FilterOperator::kIsEmpty;
}

std::string among(const std::string& sums) {
  return "r.id IN (SELECT m.trial_id FROM " + sums + ")";
}

bool is_contained(FilterOperator op) {
  return op == FilterOperator::kContains;
}

}  // namespace

ListStatement::ListStatement(ListPlace of, std::string default_pool, MetricIds metrics)
    : of_(of), default_pool_(std::move(default_pool)), metrics_(std::move(metrics)) {}

void ListStatement::require(const std::string& condition) {
  has_others_ = true;
  add(condition);
}

void ListStatement::require(const ListFilter& filter) {
  if (!filter.shows_archived) {
    hides_archived_ = true;
    add(of_ == ListPlace::kRun ? std::string("NOT (r.archived OR e.archived)") : "NOT e.archived");
  }
  // Most filters are one group whose parts must all hold.
  if (filter.root.field || filter.root.is_any) return require(condition(filter.root));
  for (const FilterPart& child : filter.root.children) {
    if (of_ != ListPlace::kRun || !is_of_sums(child)) {
      require(condition(child));
      continue;
    }
    sums_.push_back(metric_sums(*child.field));
    add(among(sums_.back()));
  }
}

void ListStatement::order(const std::vector<ListOrder>& orders) {
  const std::string id = of_ == ListPlace::kRun ? "r.id" : "e.id";
  bool has_id = false;
  for (const ListOrder& one : orders) {
    if (order_.empty()) leads_by_metric_ = of_ == ListPlace::kRun && one.subject.place == ListPlace::kMetric;
    const std::string key = order_expression(one.subject);
    const bool is_id = key == id;
    has_id = has_id || is_id;
    if (order_.empty() && leads_by_metric_)
      indexed_order_ = key + std::string(plain_direction(one.order));
    else if (leads_by_metric_)
      indexed_order_ += ", " + key + std::string(direction(one.order));
    order_ += (order_.empty() ? "" : ", ") + key;
    order_ += is_id ? plain_direction(one.order) : direction(one.order);
  }
  if (has_id) return;
  order_ += (order_.empty() ? "" : ", ") + id;
  if (leads_by_metric_) indexed_order_ += ", " + id;
}

std::string ListStatement::bind(std::string value) {
  parameters_.push_back(std::move(value));
  return "$" + std::to_string(parameters_.size());
}

std::optional<std::int64_t> ListStatement::count_by_metrics(pg::Transaction& tx) const {
  if (has_others_ || sums_.empty()) return std::nullopt;
  std::vector<std::int64_t> archived;
  if (hides_archived_) {
    for (const auto& row : run_sql(tx, kArchivedRuns, kFewArchived)) archived.push_back(row[0].as<std::int64_t>());
    if (std::ssize(archived) >= kFewArchived) return std::nullopt;
  }
  std::string sql = "SELECT count(*) FROM " + sums_.front();
  for (const std::string& others : sums_ | std::views::drop(1)) {
    sql += " AND m.trial_id IN (SELECT m.trial_id FROM " + others + ")";
  }
  const auto counted = [&tx](const std::string& text, const std::vector<std::string>& parameters) {
    return tx.exec_params(text, pqxx::prepare::make_dynamic_params(parameters))[0][0].as<std::int64_t>();
  };
  const std::int64_t all = counted(sql, parameters_);
  if (archived.empty()) return all;
  std::vector<std::string> with_archived = parameters_;
  with_archived.push_back(int_array(archived));
  return all -
         counted(sql + " AND m.trial_id = ANY($" + std::to_string(with_archived.size()) + "::bigint[])", with_archived);
}

std::int64_t ListStatement::count(pg::Transaction& tx) const {
  if (const auto counted = count_by_metrics(tx)) return *counted;
  const std::string sql = "SELECT count(*)" + from(false, false) + where_;
  return tx.exec_params(sql, pqxx::prepare::make_dynamic_params(parameters_))[0][0].as<std::int64_t>();
}

std::vector<std::int64_t> ListStatement::ids(pg::Transaction& tx, std::int64_t offset, std::int64_t limit,
                                             bool only_measured) const {
  const std::string sql = std::string("SELECT ") + (of_ == ListPlace::kRun ? "r.id" : "e.id") +
                          from(true, only_measured) + where_ + " ORDER BY " +
                          (only_measured ? indexed_order_ : order_) + " LIMIT " + std::to_string(limit) + " OFFSET " +
                          std::to_string(offset);
  std::vector<std::int64_t> found;
  for (const auto& row : tx.exec_params(sql, pqxx::prepare::make_dynamic_params(parameters_))) {
    found.push_back(row[0].as<std::int64_t>());
  }
  return found;
}

// PostgreSQL would leave out by itself what nothing speaks of, but only after it has gone through the orders in which
// all could be joined, of which it tries fewer from the ninth table on: twice the time of a page of runs by a metric.
std::string ListStatement::from(bool for_order, bool only_measured) const {
  const bool is_of_runs = of_ == ListPlace::kRun;
  std::string text = is_of_runs ? " FROM trials r" : " FROM experiments e";
  if (!is_of_runs && needs_run_) text += kBestRun;
  std::set<std::string_view> names;
  for (const Joined& one : std::views::reverse(kJoined)) {
    if (names.contains(one.name) || speaks_of(where_, one.name) || (for_order && speaks_of(order_, one.name))) {
      names.insert(one.name);
      names.insert(one.needs);
    }
  }
  for (const Joined& one : kJoined) {
    if (names.contains(one.name) && (is_of_runs || one.name != "e")) text += one.text;
  }
  if (!for_order) return text;
  for (std::size_t i = 0; i < order_joins_.size(); ++i) {
    text += (only_measured && i == 0 ? " JOIN " : " LEFT JOIN ") + order_joins_[i];
  }
  return text;
}

std::string ListStatement::condition(const FilterPart& part) {
  if (part.field) return condition(*part.field);
  if (part.children.empty()) return "true";
  std::string text;
  for (const FilterPart& child : part.children) {
    if (!text.empty()) text += part.is_any ? " OR " : " AND ";
    text += condition(child);
  }
  return "(" + text + ")";
}

std::string ListStatement::condition(const FilterField& field) {
  switch (field.subject.place) {
    case ListPlace::kExperiment:
      return column_condition(field);
    case ListPlace::kRun:
      need_run();
      return column_condition(field);
    case ListPlace::kMetric:
      need_run();
      return metric_condition(field);
    case ListPlace::kHyperparameter:
      return searched_condition(field);
    case ListPlace::kRunHyperparameter: {
      need_run();
      const std::string value = hyperparameter("r.hparams", field.subject.path);
      const std::string is_empty = "coalesce(" + value + ", 'null') = 'null'";
      if (field.op == FilterOperator::kIsEmpty) return "(" + is_empty + ")";
      if (field.op == FilterOperator::kNotEmpty) return "(NOT " + is_empty + ")";
      return json_condition(value, field);
    }
    case ListPlace::kRunMetadata:
      need_run();
      return metadata_condition(field);
  }
  return "true";
}

std::string ListStatement::column_condition(const FilterField& field) {
  const std::string value = expression(field.subject.column->value);
  const ListKind kind = field.subject.kind;
  const bool is_text = kind == ListKind::kText || kind == ListKind::kState;
  switch (field.op) {
    case FilterOperator::kIsEmpty:
      return is_text ? "(coalesce(" + value + ", '') IN ('', '[]'))" : "(" + value + " IS NULL)";
    case FilterOperator::kNotEmpty:
      return is_text ? "(coalesce(" + value + ", '') NOT IN ('', '[]'))" : "(" + value + " IS NOT NULL)";
    case FilterOperator::kContains:
    case FilterOperator::kNotContains:
      return "(strpos(lower(" + value + "), lower(" + bind_value(field.value) + "))" +
             (is_contained(field.op) ? " > 0)" : " = 0)");
    default:
      return "(" + with(value, field.op, bind_value(field.value)) + ")";
  }
}

// Indexes run_metrics_last, run_metrics_min, run_metrics_max, run_metrics_mean, run_metrics_pkey.
std::string ListStatement::metric_condition(const FilterField& field) {
  const std::string sums = metric_sums(field);
  if (field.op != FilterOperator::kIsEmpty) return among(sums);
  return "(NOT EXISTS (SELECT m.trial_id FROM " + sums + " AND m.trial_id = r.id))";
}

std::string ListStatement::metric_sums(const FilterField& field) {
  const std::string measured = "run_metrics m WHERE m.metric_id = " + metric_id(field.subject.metric);
  if (field.op == FilterOperator::kNotEmpty || field.op == FilterOperator::kIsEmpty) return measured;
  const std::string column = "m." + std::string(to_string(field.subject.metric.number));
  return measured + " AND " + with(column, field.op, bind_value(field.value));
}

std::string ListStatement::metadata_condition(const FilterField& field) {
  const std::string values =
      "SELECT 1 FROM jsonb_path_query(rm.metadata, " + bind(json_path(field.subject.path)) + "::jsonpath) AS x (v)";
  if (field.op == FilterOperator::kIsEmpty) return "(NOT EXISTS (" + values + "))";
  if (field.op == FilterOperator::kNotEmpty) return "EXISTS (" + values + ")";
  return "EXISTS (" + values + " WHERE " + json_condition("x.v", field) + ")";
}

// A hyperparameter of a search is a constant, one of several values, or in a range of numbers.
std::string ListStatement::searched_condition(const FilterField& field) {
  const std::string given = hyperparameter("e.config -> 'hyperparameters'", field.subject.path);
  const std::string is_empty = "coalesce(" + given + ", 'null') = 'null'";
  if (field.op == FilterOperator::kIsEmpty) return "(" + is_empty + ")";
  if (field.op == FilterOperator::kNotEmpty) return "(NOT " + is_empty + ")";
  const std::string constant =
      "(CASE WHEN x.h ->> 'type' = 'const' THEN x.h -> 'val' WHEN jsonb_typeof(x.h) <> 'object' THEN x.h END)";
  std::string any = "coalesce(" + json_condition(constant, field) + ", false)";
  const bool is_number = field.subject.kind == ListKind::kNumber;
  const bool is_containment = is_contained(field.op) || field.op == FilterOperator::kNotContains;
  // Bound only where it is used: PostgreSQL refuses parameters that no statement speaks of.
  const std::string value = is_number || is_containment ? "to_jsonb(" + bind_value(field.value) + ")" : "";
  if (is_containment) {
    const bool is_in = is_contained(field.op);
    any += " OR (x.h ->> 'type' = 'categorical' AND " + std::string(is_in ? "" : "NOT ") +
           "coalesce(x.h -> 'vals' @> " + value + ", false))";
    if (is_number) {
      any += " OR (x.h ->> 'type' IN ('int', 'double', 'log') AND " + std::string(is_in ? "" : "NOT ") +
             "coalesce(x.h -> 'minval' <= " + value + " AND x.h -> 'maxval' >= " + value + ", false))";
    }
  } else if (is_number) {
    any += " OR (x.h ->> 'type' IN ('int', 'double', 'log') AND (" + with("x.h -> 'minval'", field.op, value) + " OR " +
           with("x.h -> 'maxval'", field.op, value) + "))";
  }
  return "EXISTS (SELECT 1 FROM (SELECT " + given + " AS h) x WHERE " + any + ")";
}

std::string ListStatement::hyperparameter(const std::string& document, const std::vector<std::string>& path) {
  const std::string nested = document + " #> " + bind(text_array(path)) + "::text[]";
  if (path.size() == 1) return "(" + nested + ")";
  std::string flat;
  for (const std::string& name : path) flat += (flat.empty() ? "" : ".") + name;
  return "coalesce(" + nested + ", " + document + " -> " + bind(flat) + ")";
}

std::string ListStatement::json_condition(const std::string& value, const FilterField& field) {
  const bool is_containment = field.op == FilterOperator::kContains || field.op == FilterOperator::kNotContains;
  // What a number contains is itself.
  const FilterOperator op = !is_containment          ? field.op
                            : is_contained(field.op) ? FilterOperator::kEqual
                                                     : FilterOperator::kNotEqual;
  const std::string text = value + " #>> '{}'";
  // Not AND: the planner takes a CASE to hold for half of the rows, and a type and a comparison for one of 600, so that
  // it would read all runs for the few it expects.
  const auto if_type = [&value](const std::string& types, const std::string& condition) {
    return "(CASE WHEN jsonb_typeof(" + value + ") " + types + " THEN " + condition + " ELSE false END)";
  };
  switch (field.subject.kind) {
    case ListKind::kInteger:
    case ListKind::kNumber:
      return if_type("= 'number'", with(value, op, "to_jsonb(" + bind_value(field.value) + ")"));
    case ListKind::kBoolean:
      return if_type("= 'boolean'", with(value, op, "to_jsonb(" + bind_value(field.value) + ")"));
    case ListKind::kDate:
      return if_type("= 'string'", with("time_or_null(" + text + ")", op, bind_value(field.value)));
    case ListKind::kText:
    case ListKind::kState:
      break;
  }
  const std::string is_text = "IN ('string', 'boolean')";
  if (!is_containment) return if_type(is_text, with("(" + text + ")", op, bind_value(field.value)));
  return if_type(is_text,
                 "strpos(" + text + ", " + bind_value(field.value) + ")" + (is_contained(field.op) ? " > 0" : " = 0"));
}

std::string ListStatement::order_expression(const ListSubject& subject) {
  switch (subject.place) {
    case ListPlace::kExperiment:
    case ListPlace::kRun:
      return expression(subject.column->order.empty() ? subject.column->value : subject.column->order);
    case ListPlace::kMetric: {
      need_run();
      const std::string name = "s" + std::to_string(order_joins_.size());
      order_joins_.push_back("run_metrics " + name + " ON " + name + ".trial_id = r.id AND " + name +
                             ".metric_id = " + metric_id(subject.metric));
      return name + "." + std::string(to_string(subject.metric.number));
    }
    case ListPlace::kHyperparameter:
      return hyperparameter("e.config -> 'hyperparameters'", subject.path);
    case ListPlace::kRunHyperparameter:
      return hyperparameter("r.hparams", subject.path);
    case ListPlace::kRunMetadata:
      return "(rm.metadata #> " + bind(text_array(subject.path)) + "::text[])";
  }
  return "r.id";
}

std::string ListStatement::expression(std::string_view sql) {
  std::string text(sql);
  if (const auto at = text.find(kPool); at != std::string::npos) {
    if (pool_.empty()) pool_ = bind(default_pool_) + "::text";
    text.replace(at, kPool.size(), pool_);
  }
  return text;
}

std::string ListStatement::bind_value(const FilterValue& value) {
  struct Typed {
    std::string operator()(std::monostate) const { return "NULL"; }
    std::string operator()(std::int64_t number) const { return statement.bind(std::to_string(number)) + "::bigint"; }
    std::string operator()(double number) const { return statement.bind(nlohmann::json(number).dump()) + "::float8"; }
    std::string operator()(bool is) const { return statement.bind(is ? "true" : "false") + "::boolean"; }
    std::string operator()(const std::string& text) const { return statement.bind(text) + "::text"; }
    std::string operator()(WallTime time) const {
      return statement.bind(format_rfc3339_micros(time)) + "::timestamptz";
    }
    ListStatement& statement;
  };
  return std::visit(Typed{*this}, value);
}

std::string ListStatement::metric_id(const MetricColumn& metric) {
  const auto found = metrics_.find({metric.group, metric.name});
  return bind(std::to_string(found == metrics_.end() ? -1 : found->second)) + "::integer";
}

}  // namespace det::store
