#pragma once

// Where experiments may run: task_namespaces of master.yaml, which the chart writes beside the rights that it binds
// there. Pure.

#include <string>
#include <vector>

#include "base/json_reader.h"
#include "base/result.h"

namespace det::model {

// Absent: empty, which stands for every namespace. An empty list is an error: it would be none.
[[nodiscard]] std::vector<std::string> read_task_namespaces(JsonReader& root);

// `enabled`: MasterConfig::task_namespaces.
[[nodiscard]] bool is_task_namespace(const std::vector<std::string>& enabled, const std::string& ns);
// kFailedPrecondition, with the value of the chart that enables `ns`.
[[nodiscard]] Status check_task_namespace(const std::vector<std::string>& enabled, const std::string& ns);

}  // namespace det::model
