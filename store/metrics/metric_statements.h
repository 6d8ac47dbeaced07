#pragma once

// The prepared statements of MetricBatch: name and SQL. Parameters are binary; `insert...` take one array per column.

#include <string>
#include <utility>
#include <vector>

namespace det::store {

[[nodiscard]] std::vector<std::pair<std::string, std::string>> metric_statements();

}  // namespace det::store
