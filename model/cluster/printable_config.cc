#include "model/cluster/printable_config.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/lower_case.h"
#include "model/expconf/secret_fields.h"

namespace det::model {

namespace {

using nlohmann::json;

// Of keys, anywhere in their name: master.yaml of other deployments is kept whole, so no list of paths would do.
constexpr std::array<std::string_view, 9> kSecretWords = {"password",   "secret",      "token",
                                                          "credential", "access_key",  "connection_string",
                                                          "api_key",    "signing_key", "private_key"};
constexpr std::array<std::string_view, 3> kSecretKeys = {"auth", "segment_master_key", "segment_webui_key"};
// Of variables, whose names are less regular: WANDB_KEY.
constexpr std::array<std::string_view, 6> kSecretVariables = {"key",      "token",  "secret",
                                                              "password", "passwd", "credential"};

template <typename Words>
bool has_any(const std::string& text, const Words& words) {
  return std::ranges::any_of(words, [&text](std::string_view word) { return text.find(word) != std::string::npos; });
}

bool is_secret_key(std::string_view key) {
  const std::string name = lower_case(std::string(key));
  if (std::ranges::find(kSecretKeys, name) != kSecretKeys.end()) return true;
  // "secretName" says which, not what.
  return has_any(name, kSecretWords) && !name.ends_with("name");
}

bool is_secret_variable(std::string_view name) {
  return has_any(lower_case(std::string(name)), kSecretVariables);
}

void hide_variable(json& variable) {
  if (!variable.is_string()) return;
  const std::string& text = variable.get_ref<const std::string&>();
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || !is_secret_variable(std::string_view(text).substr(0, equals))) return;
  variable = text.substr(0, equals + 1) + std::string(kHidden);
}

// A list for all kinds of slots, or an object with a list for each.
void hide_variables(json& variables) {
  if (variables.is_object()) {
    for (auto& list : variables) hide_variables(list);
  } else if (variables.is_array()) {
    for (auto& variable : variables) hide_variable(variable);
  }
}

void hide_all(json& value) {
  if (value.is_array()) {
    for (auto& element : value) hide_all(element);
    return;
  }
  if (!value.is_object()) return;
  const auto name = value.find("name");
  const bool is_variable =
      name != value.end() && name->is_string() && is_secret_variable(name->get_ref<const std::string&>());
  for (auto& [key, member] : value.items()) {
    if (key == "environment_variables") {
      hide_variables(member);
    } else if (member.is_primitive() && !member.is_boolean() && !member.is_null() &&
               (is_secret_key(key) || (is_variable && key == "value"))) {
      member = kHidden;
    } else {
      hide_all(member);
    }
  }
}

void fill(json& object, const char* key, json value) {
  if (!object.contains(key) || object[key].is_null()) object[key] = std::move(value);
}

json& section(json& object, const char* key) {
  if (!object.contains(key) || !object[key].is_object()) object[key] = json::object();
  return object[key];
}

json printable_pool(const ResourcePool& pool) {
  json result = {{"pool_name", pool.name},
                 {"description", pool.description},
                 {"node_selector", pool.node_selector},
                 {"tolerations", pool.tolerations},
                 {"task_container_defaults", pool.task_container_defaults}};
  if (pool.max_slots_per_pod) result["max_slots_per_pod"] = *pool.max_slots_per_pod;
  if (pool.slot_type) result["slot_type"] = to_string(*pool.slot_type);
  if (pool.cpu_per_slot) result["slot_resource_requests"] = {{"cpu", *pool.cpu_per_slot}};
  return result;
}

// Pools that objects bring are in force as those of the file are.
void complete_pools(json& root, const MasterConfig& config) {
  json& pools = root["resource_pools"];
  if (!pools.is_array()) pools = json::array();
  for (const auto& [name, pool] : config.pools) {
    const bool is_there = std::ranges::any_of(pools, [&name](const json& entry) {
      return entry.is_object() && entry.contains("pool_name") && entry["pool_name"] == name;
    });
    if (!is_there) pools.push_back(printable_pool(pool));
  }
}

}  // namespace

json printable_config(const MasterConfig& config) {
  json root = config.document.is_object() ? config.document : json::object();
  fill(root, "cluster_name", config.cluster_name);
  json& manager = section(root, "resource_manager");
  fill(manager, "type", "kubernetes");
  fill(manager, "max_slots_per_pod", config.max_slots_per_pod);
  fill(manager, "slot_type", to_string(config.slot_type));
  if (config.slot_type == SlotType::kCpu) fill(section(manager, "slot_resource_requests"), "cpu", config.cpu_per_slot);
  fill(manager, "default_namespace", config.default_namespace);
  fill(manager, "default_compute_resource_pool", config.default_compute_pool);
  fill(manager, "default_aux_resource_pool", config.default_aux_pool);
  complete_pools(root, config);
  fill(root, "checkpoint_storage", config.checkpoint_storage);
  fill(root, "task_container_defaults", config.task_container_defaults);
  json& scheduler = section(root, "scheduler");
  fill(scheduler, "type", to_string(config.scheduler.type));
  fill(scheduler, "bind_timeout", config.scheduler.bind_timeout.count());
  fill(section(root, "retention_policy"), "log_retention_days", config.log_retention.days);
  fill(root, "notebook_timeout", config.notebook_timeout ? json(config.notebook_timeout->count()) : json());
  fill(root, "tensorboard_timeout", config.tensorboard_timeout.count());
  // What upstream's clients ask it for: which switches are on, and who may do what.
  fill(root, "feature_switches", json::array());
  fill(section(section(root, "security"), "authz"), "type", "basic");
  hide_all(root);
  return hide_secrets(std::move(root));  // those that are a part of a field, too
}

}  // namespace det::model
