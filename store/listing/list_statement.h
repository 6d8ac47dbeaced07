#pragma once

// The statement behind a list of experiments or runs: filters and orders as SQL whose values are all parameters. Its
// text is as varied as what people ask, so it is run unprepared. First what is required, then count(), then order() and
// ids(): PostgreSQL refuses parameters that a statement does not speak of. A detail of RunListStore.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pg/pool.h"
#include "store/listing/list_filter.h"
#include "store/sql.h"

namespace det::store {

// Of run_metric_names. One that is not there was never measured.
using MetricIds = std::map<std::pair<std::string, std::string>, std::int64_t>;

class ListStatement {
 public:
  // `of`: kExperiment or kRun.
  ListStatement(ListPlace of, std::string default_pool, MetricIds metrics);

  // Each must hold.
  void require(const std::string& condition);
  void require(const ListFilter& filter);
  void order(const std::vector<ListOrder>& orders);
  // The parameter's name in the statement.
  std::string bind(std::string value);

  // The conditions and the order, for tests: nothing of what people wrote is in it.
  [[nodiscard]] std::string text() const { return where_ + order_; }
  // True when the list is one of runs in the order of a metric, which an index has: then those that have it can be read
  // alone, without sorting them all.
  [[nodiscard]] bool leads_by_metric() const { return leads_by_metric_; }
  [[nodiscard]] std::int64_t count(pg::Transaction& tx) const;
  // Ids in order; `only_measured`: without those that lack the metric that leads.
  [[nodiscard]] std::vector<std::int64_t> ids(pg::Transaction& tx, std::int64_t offset, std::int64_t limit,
                                              bool only_measured) const;

 private:
  void add(const std::string& condition) { where_ += (where_.empty() ? " WHERE " : " AND ") + condition; }
  // Of runs that only metrics decide about, without reading the runs; nothing where they are others, or where many are
  // archived.
  [[nodiscard]] std::optional<std::int64_t> count_by_metrics(pg::Transaction& tx) const;
  [[nodiscard]] std::string condition(const FilterPart& part);
  [[nodiscard]] std::string condition(const FilterField& field);
  [[nodiscard]] std::string column_condition(const FilterField& field);
  [[nodiscard]] std::string metric_condition(const FilterField& field);
  // The sums `m` that pass it.
  [[nodiscard]] std::string metric_sums(const FilterField& field);
  [[nodiscard]] std::string metadata_condition(const FilterField& field);
  [[nodiscard]] std::string searched_condition(const FilterField& field);
  // Of nested ones "a.b" is b of a; a program that reports itself may also name one so.
  [[nodiscard]] std::string hyperparameter(const std::string& document, const std::vector<std::string>& path);
  // Of the JSON value of an expression, by the kind of what it is compared to; false for values of another kind.
  [[nodiscard]] std::string json_condition(const std::string& value, const FilterField& field);
  [[nodiscard]] std::string order_expression(const ListSubject& subject);
  [[nodiscard]] std::string expression(std::string_view sql);
  [[nodiscard]] std::string bind_value(const FilterValue& value);
  [[nodiscard]] std::string metric_id(const MetricColumn& metric);
  [[nodiscard]] std::string from(bool for_order, bool only_measured) const;
  // Of experiments, the best run is looked for only where it is asked about.
  void need_run() { needs_run_ = true; }

  ListPlace of_;
  std::string default_pool_;
  MetricIds metrics_;
  std::vector<std::string> parameters_;
  std::string pool_;  // the parameter of the default pool's name
  std::string where_;
  std::vector<std::string> sums_;  // of metrics whose runs must be among them all
  bool has_others_ = false;        // conditions that are not among sums_, but for that of archived runs
  bool hides_archived_ = false;
  std::string order_;
  std::string indexed_order_;  // the same where the leading metric is never NULL: an index is read backwards then
  std::vector<std::string> order_joins_;
  bool leads_by_metric_ = false;
  bool needs_run_ = false;
};

}  // namespace det::store
