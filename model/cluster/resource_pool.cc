#include "model/cluster/resource_pool.h"

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_get.h"
#include "model/cluster/cluster_defaults.h"
#include "model/cluster/master_fields.h"
#include "model/pod/pod_policy.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<std::string_view, SlotType>, 4> kSlotTypes = {
    {{"cuda", SlotType::kCuda}, {"gpu", SlotType::kCuda}, {"rocm", SlotType::kRocm}, {"cpu", SlotType::kCpu}}};
constexpr IntRange kSlotsPerPod{.min = 0, .max = 4096};

// The object's word and master.yaml's.
using Word = std::pair<std::string_view, std::string_view>;
using Words = std::span<const Word>;
constexpr auto kSpec = std::to_array<Word>({{"description", "description"},
                                            {"nodeSelector", "node_selector"},
                                            {"tolerations", "tolerations"},
                                            {"maxSlotsPerPod", "max_slots_per_pod"},
                                            {"slotType", "slot_type"},
                                            {"slotResourceRequests", "slot_resource_requests"},
                                            {"taskContainerDefaults", "task_container_defaults"},
                                            {"podPolicy", "pod_policy"}});
constexpr auto kPolicy = std::to_array<Word>({{"hostPaths", "host_paths"},
                                              {"capabilities", "capabilities"},
                                              {"hostNamespaces", "host_namespaces"},
                                              {"hostPorts", "host_ports"},
                                              {"privileged", "privileged"},
                                              {"serviceAccounts", "service_accounts"},
                                              {"secrets", "secrets"},
                                              {"imagePullSecrets", "image_pull_secrets"},
                                              {"fields", "fields"},
                                              {"labels", "labels"},
                                              {"annotations", "annotations"},
                                              {"priorityClasses", "priority_classes"},
                                              {"sysctls", "sysctls"}});

json renamed(const json& object, Words words) {
  if (!object.is_object()) return object;
  json out = json::object();
  for (const auto& [from, to] : words) {
    if (const auto found = object.find(from); found != object.end()) out[std::string(to)] = *found;
  }
  return out;
}

std::string renamed_path(const std::string& path, std::string_view root, Words words) {
  for (const auto& [theirs, ours] : words) {
    if (!path.starts_with(ours)) continue;
    const std::string rest = path.substr(ours.size());
    if (rest.empty() || rest.front() == '.' || rest.front() == '[') return child_path(root, theirs) + rest;
  }
  return child_path(root, path);
}

// "pod_policy.host_paths" -> "podPolicy.hostPaths"; what is below is written the same in both.
std::string object_path(const std::string& path) {
  constexpr std::string_view kPolicyPath = "pod_policy.";
  if (path.starts_with(kPolicyPath)) return renamed_path(path.substr(kPolicyPath.size()), "podPolicy", kPolicy);
  return renamed_path(path, "", kSpec);
}

json read_node_selector(JsonReader& reader) {
  const json* given = reader.any("node_selector");
  if (given == nullptr) return json::object();
  if (!given->is_object()) {
    reader.report("node_selector", expected_text("object or null", *given));
    return json::object();
  }
  for (const auto& [label, value] : given->items()) {
    if (!value.is_string()) reader.report(child_path("node_selector", label), expected_text("string", value));
  }
  return *given;
}

json read_tolerations(JsonReader& reader) {
  const json* given = reader.any("tolerations");
  if (given == nullptr) return json::array();
  for (JsonReader& one : reader.objects("tolerations")) {
    for (const std::string_view key : {"key", "operator", "value", "effect"}) static_cast<void>(one.string(key));
    static_cast<void>(one.integer("tolerationSeconds"));
    one.refuse_unknown_keys();
  }
  return given->is_array() ? *given : json::array();
}

}  // namespace

void read_slot_rule(JsonReader& reader, std::optional<SlotType>& type, std::optional<double>& cpu_per_slot) {
  if (const auto word = reader.choice<SlotType>("slot_type", kSlotTypes)) type = *word;
  JsonReader requests = reader.object("slot_resource_requests");
  const auto cpu = requests.number("cpu");
  if (!cpu) return;
  if (*cpu > 0) {
    cpu_per_slot = *cpu;
  } else {
    requests.report("cpu", "must be > 0 but found " + number_text(*cpu));
  }
}

ResourcePool read_resource_pool(JsonReader& reader) {
  ResourcePool pool;
  reader.require("pool_name");
  pool.name = reader.string("pool_name").value_or("");
  pool.description = reader.string("description").value_or("");
  pool.node_selector = read_node_selector(reader);
  pool.tolerations = read_tolerations(reader);
  read_slot_rule(reader, pool.slot_type, pool.cpu_per_slot);
  if (const json* task = reader.any("task_container_defaults")) {
    if (task->is_object()) {
      pool.task_container_defaults = *task;
    } else {
      reader.report("task_container_defaults", expected_text("object or null", *task));
    }
  }
  // Determined's place of it, which ours wins over.
  if (pool.task_container_defaults.contains("kubernetes")) {
    JsonReader kubernetes = reader.object("task_container_defaults").object("kubernetes");
    if (const auto slots = kubernetes.integer("max_slots_per_pod", kSlotsPerPod)) {
      pool.max_slots_per_pod = static_cast<int>(*slots);
    }
  }
  if (const auto slots = reader.integer("max_slots_per_pod", kSlotsPerPod)) {
    pool.max_slots_per_pod = static_cast<int>(*slots);
  }
  pool.pod_policy = read_pod_policy(reader);
  return pool;
}

ResourcePool read_resource_pool_object(const json& object) {
  const json spec = object.value("spec", json::object());
  json entry = renamed(spec, kSpec);
  if (entry.is_object() && entry.contains("pod_policy")) entry["pod_policy"] = renamed(entry["pod_policy"], kPolicy);
  const std::string name = get_string(get_any(object, "metadata"), "name");
  if (entry.is_object()) entry["pool_name"] = name;
  FieldErrors errors;
  JsonReader reader(entry, errors);
  ResourcePool pool = read_resource_pool(reader);
  const json defaults = {{"resource_pools", {{name, pool.task_container_defaults}}}};
  const std::string prefix = child_path("resource_pools", name) + ".";
  for (Error& error : check_cluster_defaults(defaults)) {
    if (error.field.starts_with(prefix)) error.field.erase(0, prefix.size());
    errors.push_back(std::move(error));
  }
  pool.warnings = task_defaults_warnings(pool.task_container_defaults, "taskContainerDefaults");
  if (errors.empty()) return pool;
  for (Error& error : errors) error.field = object_path(error.field);
  pool.objection = join_errors(errors, "spec");
  pool.task_container_defaults = json::object();
  pool.pod_policy = json::object();
  return pool;
}

std::string_view to_string(SlotType type) {
  switch (type) {
    case SlotType::kCuda:
      return "cuda";
    case SlotType::kRocm:
      return "rocm";
    case SlotType::kCpu:
      return "cpu";
  }
  return "cuda";
}

}  // namespace det::model
