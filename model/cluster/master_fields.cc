#include "model/cluster/master_fields.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "base/json_reader.h"
#include "base/nearest_name.h"
#include "base/shown_value.h"
#include "base/yaml_lines.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::string_view kTaskDefaults = "task_container_defaults";
constexpr std::string_view kPodPolicy = "pod_policy";
constexpr std::string_view kPools = "resource_pools";
constexpr std::string_view kPool = "resource_pools[].";
constexpr std::size_t kMostWarnings = 100;

constexpr auto kUsed = std::to_array<std::string_view>({
    "audit.database",
    "audit.file",
    "audit.retention_days",
    "checkpoint_storage.access_key",
    "checkpoint_storage.account_url",
    "checkpoint_storage.bucket",
    "checkpoint_storage.connection_string",
    "checkpoint_storage.container",
    "checkpoint_storage.container_path",
    "checkpoint_storage.credential",
    "checkpoint_storage.endpoint_url",
    "checkpoint_storage.host_path",
    "checkpoint_storage.prefix",
    "checkpoint_storage.propagation",
    "checkpoint_storage.save_experiment_best",
    "checkpoint_storage.save_trial_best",
    "checkpoint_storage.save_trial_latest",
    "checkpoint_storage.secret_key",
    "checkpoint_storage.storage_path",
    "checkpoint_storage.type",
    "checkpoint_downloads.endpoints",
    "cluster_name",
    "feature_switches",
    "harness.install",
    "harness.version",
    "harness.wheelhouse",
    "host_network_ports",
    "notebook_timeout",
    "observability.open_state_metrics",
    "oidc.agent_gid_attribute_name",
    "oidc.agent_group_name_attribute_name",
    "oidc.agent_uid_attribute_name",
    "oidc.agent_user_name_attribute_name",
    "oidc.always_redirect",
    "oidc.authentication_claim",
    "oidc.auto_provision_users",
    "oidc.ca_file",
    "oidc.client_id",
    "oidc.client_secret",
    "oidc.display_name_attribute_name",
    "oidc.enabled",
    "oidc.exclude_groups_scope",
    "oidc.groups_attribute_name",
    "oidc.idp_recipient_url",
    "oidc.idp_sso_url",
    "oidc.provider",
    "pod_policy.annotations",
    "pod_policy.capabilities",
    "pod_policy.fields",
    "pod_policy.host_namespaces",
    "pod_policy.host_paths",
    "pod_policy.host_ports",
    "pod_policy.image_pull_secrets",
    "pod_policy.labels",
    "pod_policy.namespaces",
    "pod_policy.priority_classes",
    "pod_policy.privileged",
    "pod_policy.secrets",
    "pod_policy.service_accounts",
    "pod_policy.sysctls",
    "proxy.host_suffix",
    "proxy.port",
    "release.config_maps",
    "release.namespace",
    "release.persistent_volume_claims",
    "release.secrets",
    "resource_manager.default_aux_resource_pool",
    "resource_manager.default_compute_resource_pool",
    "resource_manager.default_namespace",
    "resource_manager.default_scheduler",
    "resource_manager.max_slots_per_pod",
    "resource_manager.namespace",
    "resource_manager.slot_resource_requests.cpu",
    "resource_manager.slot_type",
    "resource_manager.type",
    "resource_pools[].description",
    "resource_pools[].max_slots_per_pod",
    "resource_pools[].node_selector",
    "resource_pools[].pool_name",
    "resource_pools[].slot_resource_requests.cpu",
    "resource_pools[].slot_type",
    "resource_pools[].tolerations",
    "retention_policy.log_retention_days",
    "retention_policy.schedule",
    "scheduler.bind_timeout",
    "scheduler.coscheduler_name",
    "scheduler.scale_up",
    "scheduler.scale_up_timeout",
    "scheduler.topology",
    "scheduler.type",
    "security.authz.rbac_ui_enabled",
    "security.authz.strict_job_queue_control",
    "security.authz.type",
    "security.authz.workspace_creator_assign_role.enabled",
    "security.authz.workspace_creator_assign_role.role_id",
    "security.default_task.gid",
    "security.default_task.group",
    "security.default_task.uid",
    "security.default_task.user",
    "security.initial_user_password",
    "security.token.default_lifespan_days",
    "security.token.max_lifespan_days",
    "task_container_defaults.bind_mounts",
    "task_container_defaults.checkpoint_gc_pod_spec",
    "task_container_defaults.cpu_pod_spec",
    "task_container_defaults.environment_variables",
    "task_container_defaults.force_pull_image",
    "task_container_defaults.gpu_pod_spec",
    "task_container_defaults.image",
    "task_container_defaults.kubernetes.max_slots_per_pod",
    "task_container_defaults.log_policies",
    "task_container_defaults.preemption_timeout",
    "task_container_defaults.registry_auth",
    "task_container_defaults.shm_size_bytes",
    "task_container_defaults.startup_hook",
    "task_container_defaults.work_dir",
    "task_namespaces",
    "tensorboard_timeout",
    "webhooks.allow_private_networks",
    "webhooks.allowed_networks",
    "webhooks.base_url",
    "webhooks.signing_key",
});

constexpr std::string_view kCapabilities =
    "on Kubernetes capabilities belong into gpu_pod_spec and cpu_pod_spec, at securityContext.capabilities of the "
    "container determined-container";
constexpr std::string_view kNoBatchSystem = "trials are pods of Kubernetes";
constexpr std::string_view kPorts = "training code chooses its own; name them in environment_variables";
constexpr std::string_view kNoSignOn = "people sign in with OpenID Connect: see oidc";

constexpr auto kIdle = std::to_array<IdleField>({
    {"checkpoint_storage.checkpoint_path", "write storage_path"},
    {"checkpoint_storage.tensorboard_path", "write storage_path"},
    {"db", "the database is that of --database-url or DET_DATABASE_URL"},
    {"log", "the level of the log is that of --log-level"},
    {"oidc.scim_authentication_attribute", "there is no SCIM: users are found by their username", R"("userName")"},
    {"port", "the port is that of --listen"},
    {"resource_manager.default_cpu_resource_pool", "write default_aux_resource_pool"},
    {"resource_manager.default_gpu_resource_pool", "write default_compute_resource_pool"},
    {"saml", kNoSignOn},
    {"scim", kNoSignOn},
    {"security.authz._strict_job_queue_control", "write strict_job_queue_control"},
    {"security.authz._strict_ntsc_enabled", "with type \"rbac\" tasks always take the permissions for them"},
    {"security.authz.fallback", "a type that is not known is refused", R"("basic")"},
    {"task_container_defaults.add_capabilities", kCapabilities},
    {"task_container_defaults.devices", "on Kubernetes devices come from device plugins"},
    {"task_container_defaults.drop_capabilities", kCapabilities},
    {"task_container_defaults.dtrain_network_interface",
     "name it in environment_variables, as NCCL_SOCKET_IFNAME and GLOO_SOCKET_IFNAME"},
    {"task_container_defaults.gloo_port_range", kPorts},
    {"task_container_defaults.nccl_port_range", kPorts},
    {"task_container_defaults.network_mode", "write hostNetwork into gpu_pod_spec and cpu_pod_spec", R"("bridge")"},
    {"task_container_defaults.pbs", kNoBatchSystem},
    {"task_container_defaults.slurm", kNoBatchSystem},
    {"telemetry", "nothing is ever sent to anybody"},
});

// Where the field `path` is told about: a pool's defaults and policy are as the cluster's.
std::string_view place_of(std::string_view path) {
  for (const std::string_view shared : {kTaskDefaults, kPodPolicy}) {
    if (path.starts_with(kPool) && path.substr(kPool.size()).starts_with(shared)) return path.substr(kPool.size());
  }
  return path;
}

bool is_used(std::string_view path) {
  return std::ranges::find(kUsed, path) != kUsed.end();
}

// Some field below `path` is in one of the lists.
bool has_known_fields(std::string_view path) {
  const std::string prefix = std::string(path) + ".";
  return std::ranges::any_of(kUsed, [&](std::string_view known) { return known.starts_with(prefix); }) ||
         std::ranges::any_of(kIdle, [&](const IdleField& known) { return known.path.starts_with(prefix); });
}

bool is_empty(const json& value) {
  return value.is_null() || value == "" || (value.is_structured() && value.empty());
}

// The fields that stand directly in the object at `path`.
std::vector<std::string_view> fields_at(std::string_view path) {
  const std::string prefix = path.empty() ? "" : std::string(path) + ".";
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view known) {
    if (!known.starts_with(prefix)) return;
    known.remove_prefix(prefix.size());
    known = known.substr(0, known.find_first_of(".["));
    if (std::ranges::find(names, known) == names.end()) names.push_back(known);
  };
  for (const std::string_view known : kUsed) add(known);
  if (path == "resource_pools[]") names.insert(names.end(), {kTaskDefaults, kPodPolicy});
  return names;
}

class Walk {
 public:
  // `path`: where the object stands in the lists; `shown`: where in the file.
  void object(const json& object, const std::string& path, const std::string& shown) {
    if (!object.is_object()) return;
    for (const auto& [key, value] : object.items()) {
      field(value, {.key = key, .parent = path, .path = std::string(place_of(child_path(path, key)))},
            child_path(shown, shown_name(key)));
    }
  }

  [[nodiscard]] UnusedFields take() { return std::move(found_); }

 private:
  struct Place {
    std::string key;
    std::string parent;
    std::string path;
  };

  void field(const json& value, const Place& at, const std::string& shown) {
    if (is_empty(value) || is_used(at.path)) return;
    if (at.path == kPools && value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) object(value[i], at.path + "[]", item_path(shown, i));
    } else if (has_known_fields(at.path) && value.is_object()) {
      object(value, at.path, shown);
    } else {
      add(value, at, shown);
    }
  }

  void add(const json& value, const Place& at, const std::string& shown) {
    const auto known = std::ranges::find(kIdle, at.path, &IdleField::path);
    if (known != kIdle.end() && !known->harmless.empty() && value == json::parse(known->harmless)) return;
    if (found_.fields.size() == kMostWarnings) {
      ++found_.more;
      return;
    }
    UnusedField unused{.path = shown,
                       .sentence = "\"" + shown + "\" has no effect in this version",
                       .meant = {},
                       .value = shown_value(at.key, value),
                       .line = {}};
    if (known != kIdle.end()) {
      unused.sentence += ": " + std::string(known->why);
    } else {
      unused.meant = nearest_name(at.key, fields_at(at.parent));
      if (!unused.meant.empty()) unused.sentence += ": there is no such field; did you mean \"" + unused.meant + "\"?";
    }
    found_.fields.push_back(std::move(unused));
  }

  UnusedFields found_;
};

}  // namespace

std::span<const std::string_view> used_master_fields() {
  return kUsed;
}

std::span<const IdleField> idle_master_fields() {
  return kIdle;
}

UnusedFields unused_master_fields(const json& yaml, std::string_view text) {
  Walk walk;
  walk.object(yaml, "", "");
  UnusedFields unused = walk.take();
  // Another kind of storage is nothing but this.
  const json& storage = get_any(yaml, "checkpoint_storage");
  const std::string folder = get_string(storage, "container_path");
  if (get_string(storage, "type") == "shared_fs" && !folder.empty()) {
    unused.fields.push_back({.path = "checkpoint_storage.container_path",
                             .sentence = "\"checkpoint_storage.container_path\" has no effect in this version: with "
                                         "shared_fs the folder is always mounted at /determined_shared_fs",
                             .meant = {},
                             .value = shown_value("container_path", folder),
                             .line = {}});
  }
  if (text.empty() || unused.fields.empty()) return unused;
  const YamlLines lines = yaml_lines(text);
  for (UnusedField& field : unused.fields) {
    // Only its own: what a Secret or a default brought stands on no line.
    if (const auto found = lines.find(field.path); found != lines.end()) field.line = found->second;
  }
  return unused;
}

std::vector<std::string> unused_sentences(const UnusedFields& unused) {
  std::vector<std::string> sentences;
  for (const UnusedField& field : unused.fields) sentences.push_back(field.sentence);
  if (unused.more > 0) {
    sentences.push_back(std::to_string(unused.more) + " more fields have no effect in this version");
  }
  return sentences;
}

std::vector<std::string> task_defaults_warnings(const json& task, std::string_view path) {
  Walk walk;
  walk.object(task, std::string(kTaskDefaults), std::string(path));
  return unused_sentences(walk.take());
}

}  // namespace det::model
