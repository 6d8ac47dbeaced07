#pragma once

// The cluster's configuration: the part of Determined's master.yaml that means something here. Keys that other
// deployments of it carry and that have no effect here are accepted with a warning, so that an existing file can be
// used as it is. Pure.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "base/result.h"
#include "model/cluster/agent_account.h"
#include "model/cluster/authz_config.h"
#include "model/cluster/log_retention.h"
#include "model/cluster/master_fields.h"
#include "model/cluster/oidc_config.h"
#include "model/cluster/resource_pool.h"
#include "model/cluster/scheduler_config.h"
#include "model/cluster/webhook_config.h"
#include "model/pod/pod_policy.h"

namespace det::model {

// What the slots of one pool are.
struct SlotRule {
  SlotType type = SlotType::kCuda;
  double cpu_per_slot = 1.0;  // type cpu: CPUs a slot stands for
  int max_per_pod = 8;
};

// What images without the determined package get at the start of a task.
struct HarnessConfig {
  bool install = true;
  std::string wheelhouse;  // folder of wheels that the operator serves; empty: none, and nothing is installed
  std::string version = "0.38.1";
};

// Who did what: lines of JSON, and rows of PostgreSQL for who asks for them there.
struct AuditConfig {
  std::string file;  // absolute; empty: standard error
  bool database = false;
  int retention_days = 0;  // of the rows; 0: for ever
};

// Under which origins browsers see tasks; without either they do not.
struct ProxyConfig {
  std::string host_suffix;  // "tasks.example.com": each task has a host name below it; "https://" in front: TLS ends
                            // before us
  int port = 0;             // of a second server, where there are no names to give
};

// What of users' checkpoint storages the server itself reads, for clients that do not reach them.
struct CheckpointDownloads {
  std::vector<std::string> endpoints;  // endpoint_url of S3-compatible storage; "*": any
};

// How long access tokens are good.
struct TokenLifespans {
  std::chrono::days max{30};
  std::chrono::days standard{30};  // of those for which nothing is said
};

struct MasterConfig {
  nlohmann::json document;  // master.yaml as it was given, or null; holds secrets: see printable_config.h
  std::string cluster_name;
  std::vector<std::string> feature_switches;  // what Determined's pages are told to switch on, "-NAME": off
  SlotType slot_type = SlotType::kCuda;
  int max_slots_per_pod = 8;
  double cpu_per_slot = 1.0;      // slot_type cpu: CPUs a slot stands for
  std::string default_namespace;  // where REST creates experiments; empty: the operator's --namespace, else "default"
  std::vector<std::string> task_namespaces;  // where experiments may run; empty: everywhere
  std::string default_compute_pool = "default";
  std::string default_aux_pool = "default";
  nlohmann::json checkpoint_storage;          // object; what an experiment without checkpoint_storage gets
  nlohmann::json task_container_defaults;     // object; merged under every experiment
  std::map<std::string, ResourcePool> pools;  // by name; the default ones need no entry
  SchedulerConfig scheduler;
  PodPolicies pod_policies;
  HarnessConfig harness;
  AuditConfig audit;
  ProxyConfig proxy;
  CheckpointDownloads checkpoint_downloads;
  LogRetention log_retention;
  std::string initial_user_password;  // secret; for admin and determined while theirs is blank; empty: leave it
  TokenLifespans token_lifespans;
  // security.default_task: as whom tasks run whose owner and workspace name no account. Nothing: as the image or the
  // pod_spec says.
  std::optional<AgentAccount> default_task;
  AuthzConfig authz;
  WebhookConfig webhooks;
  OidcConfig oidc;
  bool open_state_metrics = false;                       // observability.open_state_metrics: without a token
  std::optional<std::chrono::seconds> notebook_timeout;  // a notebook that is idle for so long ends; nothing: none does
  std::chrono::seconds tensorboard_timeout{300};         // the same of TensorBoards
  bool host_network_ports = false;  // pods share one network: each allocation gets ports of its own
  bool pods_run_here = false;       // local mode: the nodes' folders are this machine's. No field of the file
};

struct MasterConfigResult {
  MasterConfig config;
  UnusedFields unused;
  std::vector<std::string> notes;  // what else is odd, one sentence each
  // Both as sentences, for the log at start.
  [[nodiscard]] std::vector<std::string> warnings() const;
};

// `yaml` is the parsed file (null: all defaults), `text` what it was read from, for the lines of what is wrong; may be
// empty. kInvalidArgument lists every wrong field, one a line.
[[nodiscard]] Result<MasterConfigResult> read_master_config(const nlohmann::json& yaml, std::string_view text = {});

// What model/expconf/accept_config.h takes as the cluster's defaults.
[[nodiscard]] nlohmann::json cluster_defaults(const MasterConfig& config);

// The pool that an experiment of `slots` slots is in: the one it names, else a default one.
[[nodiscard]] std::string pool_or_default(const std::string& named, std::int64_t slots, const MasterConfig& config);
// The default pools and all others, sorted.
[[nodiscard]] std::vector<std::string> pool_names(const MasterConfig& config);
// nullptr for a pool about which nothing is said.
[[nodiscard]] const ResourcePool* find_pool(const std::string& name, const MasterConfig& config);
// The shell script that runs in the container of every task of this pool before its own program; empty: none.
[[nodiscard]] std::string startup_hook(const std::string& pool, const MasterConfig& config);
[[nodiscard]] SlotRule slot_rule(const std::string& pool, const MasterConfig& config);

// `base` with these pools, which replace those of the same name.
[[nodiscard]] MasterConfig with_pools(MasterConfig base, const std::vector<ResourcePool>& pools);

}  // namespace det::model
