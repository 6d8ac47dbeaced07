#pragma once

// The prepared statements of MetricBatch: name and SQL. Parameters are binary; `insert`, `insert_with_input` and
// `insert_by_time` take one array per column.

#include <string>
#include <utility>
#include <vector>

namespace det::store {

[[nodiscard]] std::vector<std::pair<std::string, std::string>> metric_statements();

}  // namespace det::store
