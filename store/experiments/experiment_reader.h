#pragma once

// The SELECT lists of experiments and how their rows are read. A detail of experiment_store.cc.

#include <string>

#include "store/experiments/experiment_rows.h"
#include "store/sql.h"

namespace det::store {

// Columns of `experiments e`, in the order that read_experiment takes them.
[[nodiscard]] std::string experiment_columns();
[[nodiscard]] ExperimentRow read_experiment(const pqxx::row& row);

// The statement that reads what read_named_experiment takes, of the experiment with the id $1.
[[nodiscard]] std::string select_named_experiment();
[[nodiscard]] NamedExperiment read_named_experiment(const pqxx::row& row);

// The statement that reads what read_experiment_view takes, of the experiment with the id $1. That for several would
// do, but takes several times as long to plan, which each connection does for its first calls.
[[nodiscard]] std::string select_experiment_view();
// The same of the experiments whose ids the statement `ids` selects, in its order.
[[nodiscard]] std::string select_experiment_views(const std::string& ids);
// " FROM ...": the checkpoints `c` of experiment `e`, and its best trial `t` if it has one.
[[nodiscard]] std::string experiment_checkpoints();
[[nodiscard]] std::string experiment_best_trial();
[[nodiscard]] ExperimentView read_experiment_view(const pqxx::row& row);
// Holds the row's result.
[[nodiscard]] UnreadExperimentView unread_experiment_view(const pqxx::row& row);

}  // namespace det::store
