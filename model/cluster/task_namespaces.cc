#include "model/cluster/task_namespaces.h"

#include <algorithm>

namespace det::model {

std::vector<std::string> read_task_namespaces(JsonReader& root) {
  auto namespaces = root.strings("task_namespaces");
  if (!namespaces) return {};
  if (namespaces->empty()) {
    root.report("task_namespaces", "names no namespace; leave it out for experiments in every namespace");
  }
  if (std::ranges::find(*namespaces, "") != namespaces->end()) root.report("task_namespaces", "a name is empty");
  return std::move(*namespaces);
}

bool is_task_namespace(const std::vector<std::string>& enabled, const std::string& ns) {
  return enabled.empty() || std::ranges::find(enabled, ns) != enabled.end();
}

Status check_task_namespace(const std::vector<std::string>& enabled, const std::string& ns) {
  if (is_task_namespace(enabled, ns)) return {};
  std::string names;
  for (const std::string& name : enabled) names += (names.empty() ? "" : ", ") + name;
  return fail(ErrorCode::kFailedPrecondition,
              "experiments do not run in namespace " + ns + ", where the operator has no rights, but in " + names +
                  "; an administrator enables it with the value taskNamespaces of the Helm chart: add " + ns +
                  " to that list (task_namespaces of master.yaml)");
}

}  // namespace det::model
