#include "model/cluster/cluster_defaults.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "model/expconf/explain_errors.h"
#include "model/expconf/schema_place.h"
#include "model/expconf/sections.h"
#include "model/taskconf/task_schema.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::string_view kTaskDefaults = "task_container_defaults";
constexpr std::string_view kPools = "resource_pools";
constexpr std::string_view kWorkDir = "work_dir";
constexpr std::string_view kStartupHook = "startup_hook";
constexpr std::size_t kMostHookBytes = 64U << 10U;  // Linux takes no longer variable than 128 KiB

// Where a field of task_container_defaults goes in the experiment configuration.
struct Route {
  std::string_view from;
  std::string_view section;  // empty: the top level
  std::string_view to;
};
constexpr std::array<Route, 13> kRoutes = {{
    {"image", "environment", "image"},
    {"environment_variables", "environment", "environment_variables"},
    {"registry_auth", "environment", "registry_auth"},
    {"force_pull_image", "environment", "force_pull_image"},
    {"add_capabilities", "environment", "add_capabilities"},
    {"drop_capabilities", "environment", "drop_capabilities"},
    {"devices", "resources", "devices"},
    {"shm_size_bytes", "resources", "shm_size"},
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

json raw_layer(const json* task, std::string_view pod_spec_key) {
  json layer = json::object();
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

// The same with what trials have not.
json task_layer(const json* task, std::string_view pod_spec_key) {
  json layer = raw_layer(task, pod_spec_key);
  const json* folder = task == nullptr ? nullptr : member(*task, kWorkDir);
  if (folder != nullptr && *folder != "") layer[std::string(kWorkDir)] = *folder;
  return layer;
}

bool is_zero(const json& value) {
  return value.is_null() || value == 0 || value == "" || value == false || (value.is_structured() && value.empty());
}

// Of two values of one variable only the upper one stays.
json unite_variables(const json& upper, const json& lower) {
  json united = json::object();
  for (const char* type : {"cpu", "cuda", "rocm"}) {
    std::map<std::string, std::string> by_name;
    for (const json* layer : {&lower, &upper}) {
      const json* list = member(*layer, type);
      if (list == nullptr) continue;
      for (const json& variable : *list) {
        const auto text = variable.get<std::string>();
        by_name[text.substr(0, text.find('='))] = text;
      }
    }
    united[type] = json::array();
    for (const auto& [name, text] : by_name) united[type].push_back(text);
  }
  return united;
}

json unite_sorted(const json& upper, const json& lower) {
  std::set<std::string> all;
  for (const json* list : {&upper, &lower}) {
    for (const json& word : *list) all.insert(word.get<std::string>());
  }
  return all;
}

// Both normalised. A pool cannot set a value back to nothing: zero means that it says nothing.
json lay_pool_over(const json& upper, json lower) {
  for (const auto& [key, value] : upper.items()) {
    if (is_zero(value)) continue;
    json& slot = lower[key];
    if (slot.is_null()) {
      slot = value;
    } else if (key == "environment" || key == "resources" || key == "image") {
      slot = lay_pool_over(value, std::move(slot));
    } else if (key == "environment_variables") {
      slot = unite_variables(value, slot);
    } else if (key == "add_capabilities" || key == "drop_capabilities") {
      slot = unite_sorted(value, slot);
    } else if (key == "devices" || key == "bind_mounts") {
      slot = merge_by_container_path(value, slot);
    } else if (key == "log_policies") {
      slot = merge_log_policies(value, slot);
    } else {
      slot = value;
    }
  }
  return lower;
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

void check_startup_hook(const json& hook, const std::string& path, FieldErrors& errors) {
  if (!hook.is_string()) return add_field_error(errors, path, expected_text("string or null", hook));
  const auto& script = hook.get_ref<const std::string&>();
  if (script.size() > kMostHookBytes) {
    add_field_error(errors, path,
                    "is " + std::to_string(script.size()) + " bytes long; at most " + std::to_string(kMostHookBytes) +
                        " are allowed; put a longer script into the image and call it here");
  }
  if (script.find('\0') != std::string::npos)
    add_field_error(errors, path, "holds a NUL byte; a shell script is needed");
}

// `root`: where `task` stands, empty for the cluster's own.
void check_task_defaults(const json* task, const std::string& root, FieldErrors& errors) {
  if (task == nullptr) return;
  if (!task->is_object()) {
    return add_field_error(errors, child_path(root, kTaskDefaults), expected_text("object or null", *task));
  }
  if (const json* folder = member(*task, kWorkDir); folder != nullptr && *folder != "") {
    check_work_dir(*folder, child_path(child_path(root, kTaskDefaults), kWorkDir), errors);
  }
  if (const json* hook = member(*task, kStartupHook)) {
    check_startup_hook(*hook, child_path(child_path(root, kTaskDefaults), kStartupHook), errors);
  }
  for (const std::string_view key : {"gpu_pod_spec", "cpu_pod_spec", "checkpoint_gc_pod_spec"}) {
    FieldErrors found;
    const json layer = raw_layer(task, key);
    validate(kExperimentSchema, layer, "", found, Rules::kRunnable);
    explain_errors(found, layer, kExperimentSchema);
    for (Error& error : found) {
      error.field = child_path(root, original_path(error.field, key));
      if (std::ranges::find(errors, error) == errors.end()) errors.push_back(std::move(error));
    }
  }
}

}  // namespace

FieldErrors check_cluster_defaults(const json& defaults) {
  FieldErrors errors;
  if (const json* storage = member(defaults, "checkpoint_storage")) {
    const json layer = {{"checkpoint_storage", *storage}};
    validate(kExperimentSchema, layer, "", errors, Rules::kRunnable);
    explain_errors(errors, layer, kExperimentSchema);
  }
  check_task_defaults(member(defaults, kTaskDefaults), "", errors);
  const json* pools = member(defaults, kPools);
  if (pools == nullptr || !pools->is_object()) return errors;
  for (const auto& [name, task] : pools->items()) {
    check_task_defaults(&task, child_path(std::string(kPools), name), errors);
  }
  return errors;
}

FieldErrors what_storage_lacks(const json& defaults) {
  FieldErrors errors;
  const json* storage = member(defaults, "checkpoint_storage");
  const Field* field = field_named(kExperimentSchema, "checkpoint_storage");
  if (storage == nullptr || !storage->is_object() || field == nullptr) return errors;
  json whole = *storage;
  normalise(*field, whole);
  fill(*field, whole, Fill::kNulls);
  check_complete(*field, whole, "checkpoint_storage", errors);
  explain_errors(errors, {{"checkpoint_storage", *storage}}, kExperimentSchema);
  return errors;
}

bool cluster_may_set(std::string_view path) {
  const auto holds = [path](std::string_view field) {
    return path.starts_with(field) && (path.size() == field.size() || path[field.size()] == '.');
  };
  return holds("checkpoint_storage") || holds("environment.pod_spec") || holds(kWorkDir) ||
         std::ranges::any_of(kRoutes, [&](const Route& route) { return holds(child_path(route.section, route.to)); });
}

json cluster_layer(const json& defaults, std::int64_t slots, const std::string& pool) {
  const std::string_view pod_spec_key = slots > 0 ? "gpu_pod_spec" : "cpu_pod_spec";
  json layer = task_layer(member(defaults, kTaskDefaults), pod_spec_key);
  if (const json* storage = member(defaults, "checkpoint_storage")) layer["checkpoint_storage"] = *storage;
  normalise(kExperimentSchema, layer);
  const json* wanted = member(defaults, slots > 0 ? "default_compute_pool" : "default_aux_pool");
  const std::string name = pool.empty() && wanted != nullptr ? wanted->get<std::string>() : pool;
  const json* pools = member(defaults, kPools);
  const json* task = pools == nullptr ? nullptr : member(*pools, name);
  if (task == nullptr) return layer;
  json upper = task_layer(task, pod_spec_key);
  normalise(kExperimentSchema, upper);
  return lay_pool_over(upper, std::move(layer));
}

}  // namespace det::model
