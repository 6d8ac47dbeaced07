#include "model/cluster/master_config.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "base/json_get.h"
#include "base/yaml_lines.h"
#include "model/cluster/cluster_defaults.h"
#include "model/cluster/task_namespaces.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr IntRange kIdleSeconds{.min = 1, .max = 2'147'483'647};

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
  std::optional<SlotType> slot_type;
  std::optional<double> cpu;
  read_slot_rule(manager, slot_type, cpu);
  config.slot_type = slot_type.value_or(config.slot_type);
  config.cpu_per_slot = cpu.value_or(config.cpu_per_slot);
  config.default_namespace = manager.string("default_namespace").value_or(manager.string("namespace").value_or(""));
  config.default_compute_pool = manager.string("default_compute_resource_pool").value_or("default");
  config.default_aux_pool = manager.string("default_aux_resource_pool").value_or("default");
}

void read_pools(JsonReader& root, MasterConfig& config) {
  for (JsonReader& reader : root.objects("resource_pools")) {
    ResourcePool pool = read_resource_pool(reader);
    if (config.pools.contains(pool.name)) {
      reader.report("pool_name", "there are two pools with the name \"" + pool.name + "\"");
    }
    config.pod_policies.pools[pool.name] = pool.pod_policy;
    config.pools[pool.name] = std::move(pool);
  }
}

HarnessConfig read_harness(JsonReader& root) {
  HarnessConfig config;
  JsonReader reader = root.object("harness");
  config.install = reader.boolean("install").value_or(config.install);
  config.wheelhouse = reader.string("wheelhouse").value_or("");
  config.version = reader.string("version").value_or(config.version);
  if (!config.wheelhouse.empty() && !config.wheelhouse.starts_with('/')) {
    reader.report("wheelhouse", "\"" + config.wheelhouse + "\" is not an absolute path");
  }
  reader.refuse_unknown_keys();
  return config;
}

AuditConfig read_audit(JsonReader& root) {
  JsonReader reader = root.object("audit");
  AuditConfig config;
  config.file = reader.string("file").value_or("");
  config.database = reader.boolean("database").value_or(false);
  config.retention_days = static_cast<int>(reader.integer("retention_days", {.min = 0, .max = 36500}).value_or(0));
  if (!config.file.empty() && !config.file.starts_with('/')) {
    reader.report("file", "\"" + config.file + "\" is not an absolute path");
  }
  if (config.retention_days > 0 && !config.database) {
    reader.report("retention_days", "is about the rows in PostgreSQL: set audit.database, or leave this out");
  }
  reader.refuse_unknown_keys();
  return config;
}

// "https://tasks.example.com:8443"
bool is_host(std::string_view text) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (text.starts_with(scheme)) text.remove_prefix(scheme.size());
  }
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '.' || c == ':'; };
  return !text.empty() && std::ranges::all_of(text, is_part);
}

ProxyConfig read_proxy(JsonReader& root) {
  JsonReader reader = root.object("proxy");
  ProxyConfig config;
  config.host_suffix = reader.string("host_suffix").value_or("");
  config.port = static_cast<int>(reader.integer("port", {.min = 1, .max = 65535}).value_or(0));
  if (!config.host_suffix.empty() && !is_host(config.host_suffix)) {
    reader.report("host_suffix", "\"" + config.host_suffix + "\" is no host name such as \"tasks.example.com\"");
  }
  if (!config.host_suffix.empty() && config.port != 0) {
    reader.report("port", "is for clusters without host_suffix: leave one of the two out");
  }
  reader.refuse_unknown_keys();
  return config;
}

CheckpointDownloads read_downloads(JsonReader& root) {
  JsonReader reader = root.object("checkpoint_downloads");
  CheckpointDownloads config;
  config.endpoints = reader.strings("endpoints").value_or(std::vector<std::string>());
  for (const std::string& endpoint : config.endpoints) {
    const auto begins = [&](std::string_view scheme) {
      return endpoint.size() > scheme.size() && endpoint.starts_with(scheme);
    };
    if (endpoint != "*" && !begins("https://") && !begins("http://") && !begins("gs://")) {
      reader.report("endpoints", "\"" + endpoint +
                                     "\" is no URL such as \"https://minio.example.com:9000\" or \"gs://bucket\", "
                                     "nor \"*\"");
    }
  }
  reader.refuse_unknown_keys();
  return config;
}

// Upstream's numbers: 106751 days are the most that a Go duration holds, and stand for "for ever".
constexpr std::int64_t kLongestTokenDays = 106'751;
constexpr std::int64_t kForEverDays = -1;

TokenLifespans read_token_lifespans(JsonReader& security) {
  JsonReader reader = security.object("token");
  TokenLifespans config;
  const auto days = [&reader](const char* key, std::chrono::days otherwise) {
    const auto given = reader.integer(key, {.min = kForEverDays, .max = kLongestTokenDays});
    if (!given) return otherwise;
    return std::chrono::days(*given == kForEverDays ? kLongestTokenDays : *given);
  };
  config.max = days("max_lifespan_days", config.max);
  config.standard = days("default_lifespan_days", std::min(config.standard, config.max));
  if (config.standard > config.max) {
    reader.report("default_lifespan_days", "must be at most max_lifespan_days, " + std::to_string(config.max.count()));
  }
  reader.refuse_unknown_keys();
  return config;
}

// What it leaves out is root's, as upstream has it.
std::optional<AgentAccount> read_default_task(JsonReader& security) {
  JsonReader reader = security.object("default_task");
  constexpr IntRange kIds{.min = 0, .max = std::numeric_limits<std::int32_t>::max()};
  AgentAccount account;
  account.uid = static_cast<int>(reader.integer("uid", kIds).value_or(0));
  account.gid = static_cast<int>(reader.integer("gid", kIds).value_or(0));
  account.user = reader.string("user").value_or("root");
  account.group = reader.string("group").value_or("root");
  reader.refuse_unknown_keys();
  return reader.is_present() ? std::optional(account) : std::nullopt;
}

}  // namespace

std::vector<std::string> MasterConfigResult::warnings() const {
  std::vector<std::string> sentences = unused_sentences(unused);
  sentences.insert(sentences.end(), notes.begin(), notes.end());
  return sentences;
}

Result<MasterConfigResult> read_master_config(const json& yaml, std::string_view text) {
  FieldErrors errors;
  MasterConfigResult result;
  JsonReader root(yaml, errors);
  MasterConfig& config = result.config;
  config.document = yaml;
  config.cluster_name = root.string("cluster_name").value_or("");
  config.feature_switches = root.strings("feature_switches").value_or(std::vector<std::string>());
  config.open_state_metrics = root.object("observability").boolean("open_state_metrics").value_or(false);
  config.host_network_ports = root.boolean("host_network_ports").value_or(false);
  JsonReader security = root.object("security");
  config.initial_user_password = security.string("initial_user_password").value_or("");
  config.token_lifespans = read_token_lifespans(security);
  config.authz = read_authz_config(security);
  config.default_task = read_default_task(security);
  if (const auto seconds = root.integer("notebook_timeout", kIdleSeconds)) {
    config.notebook_timeout = std::chrono::seconds(*seconds);
  }
  if (const auto seconds = root.integer("tensorboard_timeout", kIdleSeconds)) {
    config.tensorboard_timeout = std::chrono::seconds(*seconds);
  }
  read_resource_manager(root, config);
  config.task_namespaces = read_task_namespaces(root);
  config.scheduler = read_scheduler_config(root);
  config.harness = read_harness(root);
  config.audit = read_audit(root);
  config.proxy = read_proxy(root);
  config.checkpoint_downloads = read_downloads(root);
  config.log_retention = read_log_retention(root);
  config.webhooks = read_webhook_config(root);
  config.oidc = read_oidc_config(root, config.authz.shows_roles, result.notes);
  config.pod_policies.cluster = read_pod_policy(root, &config.pod_policies);
  config.pod_policies.release = read_release(root);
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
  read_pools(root, config);
  for (Error& error : check_cluster_defaults(cluster_defaults(config))) errors.push_back(std::move(error));
  if (!errors.empty()) {
    if (!text.empty()) add_lines(errors, text);
    return std::unexpected(joined_error(errors, "master.yaml"));
  }
  result.unused = unused_master_fields(yaml, text);
  for (const Error& error : what_storage_lacks(cluster_defaults(config))) {
    result.notes.push_back(error.message + ": experiments that do not write it themselves will be refused");
  }
  if (config.scheduler.was_mapped) {
    result.notes.emplace_back(
        "resource_manager.default_scheduler: \"coscheduler\" is a scheduler that no longer runs on current clusters; "
        "scheduler.type \"own\" does its work");
  }
  return result;
}

json cluster_defaults(const MasterConfig& config) {
  json pools = json::object();
  for (const auto& [name, pool] : config.pools) pools[name] = pool.task_container_defaults;
  return {{"task_container_defaults", config.task_container_defaults},
          {"checkpoint_storage", config.checkpoint_storage},
          {"resource_pools", std::move(pools)},
          {"default_compute_pool", config.default_compute_pool},
          {"default_aux_pool", config.default_aux_pool}};
}

std::string pool_or_default(const std::string& named, std::int64_t slots, const MasterConfig& config) {
  if (!named.empty()) return named;
  return slots > 0 ? config.default_compute_pool : config.default_aux_pool;
}

std::vector<std::string> pool_names(const MasterConfig& config) {
  std::set<std::string> names = {config.default_compute_pool, config.default_aux_pool};
  for (const auto& [name, pool] : config.pools) names.insert(name);
  return {names.begin(), names.end()};
}

const ResourcePool* find_pool(const std::string& name, const MasterConfig& config) {
  const auto found = config.pools.find(name);
  return found == config.pools.end() ? nullptr : &found->second;
}

std::string startup_hook(const std::string& pool, const MasterConfig& config) {
  const ResourcePool* own = find_pool(pool, config);
  std::string script = own == nullptr ? "" : get_string(own->task_container_defaults, "startup_hook");
  return script.empty() ? get_string(config.task_container_defaults, "startup_hook") : script;
}

SlotRule slot_rule(const std::string& pool, const MasterConfig& config) {
  SlotRule rule{.type = config.slot_type, .cpu_per_slot = config.cpu_per_slot, .max_per_pod = config.max_slots_per_pod};
  const ResourcePool* own = find_pool(pool, config);
  if (own == nullptr) return rule;
  rule.type = own->slot_type.value_or(rule.type);
  rule.cpu_per_slot = own->cpu_per_slot.value_or(rule.cpu_per_slot);
  rule.max_per_pod = own->max_slots_per_pod.value_or(rule.max_per_pod);
  return rule;
}

MasterConfig with_pools(MasterConfig base, const std::vector<ResourcePool>& pools) {
  for (const ResourcePool& pool : pools) {
    base.pod_policies.pools[pool.name] = pool.pod_policy;
    base.pools[pool.name] = pool;
  }
  return base;
}

}  // namespace det::model
