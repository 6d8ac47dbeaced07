#pragma once

// What the pods of users may use of a cluster beyond their own: files of nodes, rights of containers, names of the
// host, service accounts, secrets. An allow-list of the cluster, which a namespace or a resource pool may state
// differently list by list. What the administrator's own defaults (task_container_defaults, checkpoint_storage) use
// is allowed because they use it. Pure.

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"

namespace det::model {

struct PodPolicy {
  std::vector<std::string> host_paths;       // folders, each with all that is below; "/" is everything
  std::vector<std::string> capabilities;     // without "CAP_"; "*" is all
  std::vector<std::string> host_namespaces;  // "network", "pid", "ipc"
  std::vector<std::string> service_accounts;
  std::vector<std::string> secrets;             // in volumes and variables; "train-*" is all that begin so
  std::vector<std::string> image_pull_secrets;  // the same
  bool privileged = false;
  bool host_ports = false;

  bool operator==(const PodPolicy&) const = default;
};

// As master.yaml states it: `pod_policy` with `namespaces`, and resource_pools[].pod_policy. Objects with the members
// of PodPolicy, of which those that are absent come from the level below.
struct PodPolicies {
  nlohmann::json cluster = nlohmann::json::object();
  std::map<std::string, nlohmann::json> namespaces;
  std::map<std::string, nlohmann::json> pools;

  // The cluster's, then the namespace's, then the pool's.
  [[nodiscard]] PodPolicy of(const std::string& ns, const std::string& pool) const;
};

// Reads `pod_policy` at `parent` and reports what is wrong with it. Only the cluster's may have `namespaces`, which
// then go to `policies`.
[[nodiscard]] nlohmann::json read_pod_policy(JsonReader& parent, PodPolicies* policies = nullptr);

// One error for everything in `config` that neither the policy nor the cluster's own defaults allow. `config`: what
// people wrote, normalised, without the cluster's defaults; `cluster`: those defaults for the same experiment. Fields
// are paths within the configuration.
[[nodiscard]] FieldErrors check_pod_policy(const nlohmann::json& config, const nlohmann::json& cluster,
                                           const PodPolicy& policy);

}  // namespace det::model
