#pragma once

// What the pods of users may use of a cluster beyond their own: files of nodes, rights of containers, names of the
// host, service accounts, secrets, fields that mean something to the whole cluster. An allow-list of the cluster, which
// a namespace or a resource pool may state differently list by list. model/pod/pod_policy_check.h holds pods against
// it. Pure.

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"

namespace det::model {

// Where det-operator itself is installed, and what of it nobody's pod may have: tasks may run in the same namespace.
// Names; "data-*" is all that begin so.
struct Release {
  std::string ns;
  std::vector<std::string> claims;
  std::vector<std::string> secrets;
  std::vector<std::string> config_maps;

  bool operator==(const Release&) const = default;
};

struct PodPolicy {
  std::vector<std::string> host_paths;       // folders, each with all that is below; "/" is everything
  std::vector<std::string> capabilities;     // without "CAP_"; "*" is all
  std::vector<std::string> host_namespaces;  // "network", "pid", "ipc"
  std::vector<std::string> service_accounts;
  std::vector<std::string> secrets;             // in volumes and variables; "train-*" is all that begin so
  std::vector<std::string> image_pull_secrets;  // the same
  std::vector<std::string> fields;              // "spec.volumes.gitRepo", with all below; or with a '*' as above
  std::vector<std::string> labels;              // keys, as above; beside those that mean nothing to the cluster
  std::vector<std::string> annotations;         // the same
  std::vector<std::string> priority_classes;    // beside all that are not Kubernetes' own, "system-*"
  std::vector<std::string> sysctls;             // beside those that Kubernetes calls safe
  bool privileged = false;
  bool host_ports = false;
  Release release;  // without a namespace, unless the pods are in it

  bool operator==(const PodPolicy&) const = default;
};

// As master.yaml states it: `pod_policy` with `namespaces`, and resource_pools[].pod_policy. Objects with the members
// of PodPolicy, of which those that are absent come from the level below.
struct PodPolicies {
  nlohmann::json cluster = nlohmann::json::object();
  std::map<std::string, nlohmann::json> namespaces;
  std::map<std::string, nlohmann::json> pools;
  Release release;

  // The cluster's, then the namespace's, then the pool's.
  [[nodiscard]] PodPolicy of(const std::string& ns, const std::string& pool) const;
};

// Reads `pod_policy` at `parent` and reports what is wrong with it. Only the cluster's may have `namespaces`, which
// then go to `policies`.
[[nodiscard]] nlohmann::json read_pod_policy(JsonReader& parent, PodPolicies* policies = nullptr);

// `release` of master.yaml, which the chart writes.
[[nodiscard]] Release read_release(JsonReader& root);

// An entry of a list is the name, or its beginning and a '*'.
[[nodiscard]] bool is_named(const std::vector<std::string>& list, const std::string& name);

}  // namespace det::model
