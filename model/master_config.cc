#include "model/master_config.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/cluster_defaults.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<std::string_view, SlotType>, 4> kSlotTypes = {
    {{"cuda", SlotType::kCuda}, {"gpu", SlotType::kCuda}, {"rocm", SlotType::kRocm}, {"cpu", SlotType::kCpu}}};

// Upstream's own default when master.yaml names no storage.
json default_checkpoint_storage() {
  return {{"type", "shared_fs"}, {"host_path", "/tmp"}, {"storage_path", "determined-checkpoint"}};
}

json object_or_empty(const json* value, JsonReader& reader, std::string_view key) {
  if (value == nullptr) return json::object();
  if (value->is_object()) return *value;
  reader.report(key, expected_text("object or null", *value));
  return json::object();
}

void read_resource_manager(JsonReader& root, MasterConfig& config) {
  JsonReader manager = root.object("resource_manager");
  if (const auto type = manager.string("type"); type && *type != "kubernetes") {
    manager.report("type", "only \"kubernetes\" is supported, not \"" + *type + "\"");
  }
  if (const auto slots = manager.integer("max_slots_per_pod", {.min = 0, .max = 4096})) {
    config.max_slots_per_pod = static_cast<int>(*slots);
  }
  if (const auto type = manager.choice<SlotType>("slot_type", kSlotTypes)) config.slot_type = *type;
  JsonReader requests = manager.object("slot_resource_requests");
  if (const auto cpu = requests.number("cpu")) {
    if (*cpu > 0) {
      config.cpu_per_slot = *cpu;
    } else {
      requests.report("cpu", "must be > 0 but found " + number_text(*cpu));
    }
  }
  config.default_namespace = manager.string("default_namespace").value_or(manager.string("namespace").value_or(""));
  config.default_compute_pool = manager.string("default_compute_resource_pool").value_or("default");
  config.default_aux_pool = manager.string("default_aux_resource_pool").value_or("default");
}

// Of a pool only its name and its defaults mean something here.
json read_pools(JsonReader& root) {
  json pools = json::object();
  for (JsonReader& pool : root.objects("resource_pools")) {
    pool.require("pool_name");
    const std::string name = pool.string("pool_name").value_or("");
    const json* task = pool.any("task_container_defaults");
    if (pools.contains(name)) pool.report("pool_name", "there are two pools with the name \"" + name + "\"");
    pools[name] = object_or_empty(task, pool, "task_container_defaults");
  }
  return pools;
}

void warn_about_the_rest(const json& yaml, std::vector<std::string>& warnings) {
  static constexpr std::array<std::string_view, 8> kUsed = {
      "cluster_name",       "checkpoint_storage", "resource_manager", "task_container_defaults",
      "host_network_ports", "resource_pools",     "security",         "scheduler"};
  for (const auto& [key, value] : yaml.value("security", json::object()).items()) {
    if (key != "initial_user_password") warnings.push_back("\"security." + key + "\" has no effect in this version");
  }
  for (const auto& [key, value] : yaml.items()) {
    if (std::find(kUsed.begin(), kUsed.end(), key) == kUsed.end()) {
      warnings.push_back("\"" + key + "\" has no effect in this version");
    }
  }
}

}  // namespace

Result<MasterConfigResult> read_master_config(const json& yaml) {
  FieldErrors errors;
  MasterConfigResult result;
  JsonReader root(yaml, errors);
  MasterConfig& config = result.config;
  config.cluster_name = root.string("cluster_name").value_or("");
  config.host_network_ports = root.boolean("host_network_ports").value_or(false);
  config.initial_user_password = root.object("security").string("initial_user_password").value_or("");
  read_resource_manager(root, config);
  config.scheduler = read_scheduler_config(root);
  const json* storage = root.any("checkpoint_storage");
  config.checkpoint_storage =
      storage == nullptr ? default_checkpoint_storage() : object_or_empty(storage, root, "checkpoint_storage");
  config.task_container_defaults =
      object_or_empty(root.any("task_container_defaults"), root, "task_container_defaults");
  if (const auto found = config.task_container_defaults.find("kubernetes");
      found != config.task_container_defaults.end() && found->is_object() && found->contains("max_slots_per_pod")) {
    JsonReader kubernetes(*found, errors, "task_container_defaults.kubernetes");
    if (const auto slots = kubernetes.integer("max_slots_per_pod", {.min = 0, .max = 4096})) {
      config.max_slots_per_pod = static_cast<int>(*slots);
    }
  }
  config.pool_defaults = read_pools(root);
  for (Error& error : check_cluster_defaults(cluster_defaults(config))) errors.push_back(std::move(error));
  if (!errors.empty()) return std::unexpected(joined_error(errors, "master.yaml"));
  if (yaml.is_object()) warn_about_the_rest(yaml, result.warnings);
  if (config.scheduler.was_mapped) {
    result.warnings.push_back(
        "resource_manager.default_scheduler: \"coscheduler\" is a scheduler that no longer runs on current clusters; "
        "scheduler.type \"own\" does its work");
  }
  return result;
}

json cluster_defaults(const MasterConfig& config) {
  return {{"task_container_defaults", config.task_container_defaults},
          {"checkpoint_storage", config.checkpoint_storage},
          {"resource_pools", config.pool_defaults},
          {"default_compute_pool", config.default_compute_pool},
          {"default_aux_pool", config.default_aux_pool}};
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
