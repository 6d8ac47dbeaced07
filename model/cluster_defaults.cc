#include "model/cluster_defaults.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "model/sections.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::string_view kTaskDefaults = "task_container_defaults";

// Where a field of task_container_defaults goes in the experiment configuration.
struct Route {
  std::string_view from;
  std::string_view section;  // empty: the top level
  std::string_view to;
};
constexpr std::array<Route, 12> kRoutes = {{
    {"image", "environment", "image"},
    {"environment_variables", "environment", "environment_variables"},
    {"registry_auth", "environment", "registry_auth"},
    {"force_pull_image", "environment", "force_pull_image"},
    {"add_capabilities", "environment", "add_capabilities"},
    {"drop_capabilities", "environment", "drop_capabilities"},
    {"devices", "resources", "devices"},
    {"bind_mounts", "", "bind_mounts"},
    {"log_policies", "", "log_policies"},
    {"preemption_timeout", "", "preemption_timeout"},
    {"slurm", "", "slurm"},
    {"pbs", "", "pbs"},
}};

const json* member(const json& object, std::string_view key) {
  const auto it = object.is_object() ? object.find(key) : object.end();
  return !object.is_object() || it == object.end() || it->is_null() ? nullptr : &*it;
}

json raw_layer(const json& defaults, std::string_view pod_spec_key) {
  json layer = json::object();
  if (const json* storage = member(defaults, "checkpoint_storage")) layer["checkpoint_storage"] = *storage;
  const json* task = member(defaults, kTaskDefaults);
  if (task == nullptr) return layer;
  for (const Route& route : kRoutes) {
    const json* value = member(*task, route.from);
    if (value == nullptr) continue;
    json& section = route.section.empty() ? layer : layer[std::string(route.section)];
    section[std::string(route.to)] = *value;
  }
  if (const json* pod_spec = member(*task, pod_spec_key)) layer["environment"]["pod_spec"] = *pod_spec;
  return layer;
}

// "environment.pod_spec.spec" -> "task_container_defaults.gpu_pod_spec.spec".
std::string original_path(const std::string& path, std::string_view pod_spec_key) {
  const auto moved = [&](std::string_view to, std::string_view from) -> std::string {
    if (!path.starts_with(to)) return {};
    return std::string(kTaskDefaults) + "." + std::string(from) + path.substr(to.size());
  };
  if (std::string pod = moved("environment.pod_spec", pod_spec_key); !pod.empty()) return pod;
  for (const Route& route : kRoutes) {
    if (std::string found = moved(child_path(route.section, route.to), route.from); !found.empty()) return found;
  }
  return path;
}

}  // namespace

FieldErrors check_cluster_defaults(const json& defaults) {
  FieldErrors errors;
  if (const json* task = member(defaults, kTaskDefaults); task != nullptr && !task->is_object()) {
    add_field_error(errors, kTaskDefaults, expected_text("object or null", *task));
    return errors;
  }
  for (const std::string_view key : {"gpu_pod_spec", "cpu_pod_spec"}) {
    FieldErrors found;
    validate(kExperimentSchema, raw_layer(defaults, key), "", found, Rules::kRunnable);
    for (Error& error : found) {
      error.field = original_path(error.field, key);
      if (std::ranges::find(errors, error) == errors.end()) errors.push_back(std::move(error));
    }
  }
  return errors;
}

json cluster_layer(const json& defaults, std::int64_t slots) {
  json layer = raw_layer(defaults, slots > 0 ? "gpu_pod_spec" : "cpu_pod_spec");
  normalise(kExperimentSchema, layer);
  return layer;
}

}  // namespace det::model
