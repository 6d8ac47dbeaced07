#pragma once

// The SELECT lists of experiments and how their rows are read. A detail of experiment_store.cc.

#include <string>

#include "store/experiments/experiment_rows.h"
#include "store/sql.h"

namespace det::store {

// Columns of `experiments e`, in the order that read_experiment takes them.
[[nodiscard]] std::string experiment_columns();
[[nodiscard]] ExperimentRow read_experiment(const pqxx::row& row);

// "SELECT ... FROM experiments e JOIN ...", to be completed with WHERE: what read_experiment_view takes.
[[nodiscard]] std::string select_experiment_views();
[[nodiscard]] ExperimentView read_experiment_view(const pqxx::row& row);

}  // namespace det::store
