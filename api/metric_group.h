#pragma once

// Which metrics a query is about. Pure.

#include <string>

#include "api/arguments.h"

namespace det::api {

// group, or metricType, its older name; empty when neither is there. kInvalidArgument for both, or for another type.
[[nodiscard]] Result<std::string> read_metric_group(const QueryArguments& arguments);

}  // namespace det::api
