#pragma once

// What one allocation needs in Kubernetes, as objects: the pods of its gang and the Secret with what they may not show.
// Pure: the same request gives the same JSON, which golden files in tests/pods hold.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "k8sclient/resource.h"
#include "model/cluster/master_config.h"
#include "model/ids.h"

namespace det::pods {

// The same for every pod of this operator.
struct PodSettings {
  std::string task_url;  // where pods dial the REST API: "http://host:port"
  std::string cluster_id;
  std::string harness_config_map;  // entrypoint and log shipper (operator/cluster/harness_bundle.h)
  std::string controller_class;
  model::MasterConfig master;
};

// Ports of one allocation, the same in all its pods.
struct TaskPorts {
  int dtrain_ssh = 12350;
  int trial_comm_1 = 12360;
  int trial_comm_2 = 12365;
  int c10d = 29400;
};

struct GangRequest {
  k8s::ObjectKey trial;  // the Trial object, owner of everything made here
  std::string trial_uid;
  std::string experiment_object;
  model::ExperimentId experiment_id;
  model::TrialId trial_id;
  std::string task_id;
  std::string allocation_id;
  int run = 1;
  int num_pods = 1;
  int slots_per_pod = 1;
  std::int64_t seed = 0;
  std::int64_t steps_completed = 0;
  std::string latest_checkpoint;  // empty: none
  bool starts_warm = false;       // that is a checkpoint of another trial
  std::string owner;              // username
  std::string workspace;
  std::string token;       // of the allocation; goes into the Secret only
  std::string user_token;  // stands for the owner while the allocation lasts; goes into the Secret only
  TaskPorts ports;
  std::vector<std::string> excluded_nodes;  // where none of its pods may run
  nlohmann::json config;                    // the frozen, fully defaulted experiment configuration
  nlohmann::json hparams;
};

// The name of rank's resources in rendezvous and of its pod: "<allocation id>.<rank>".
[[nodiscard]] std::string resources_id(const std::string& allocation_id, int rank);

// The pool of an experiment with this (frozen) configuration, and what slots are there.
[[nodiscard]] std::string pool_of(const PodSettings& settings, const nlohmann::json& config);
[[nodiscard]] model::SlotRule slots_of(const PodSettings& settings, const nlohmann::json& config);

[[nodiscard]] nlohmann::json build_pod(const PodSettings& settings, const GangRequest& gang, int rank);
// What people are shown of it: its spec, without environment variables, which may hold what is not for everybody.
[[nodiscard]] nlohmann::json shown_pod_spec(const nlohmann::json& pod);
// With what the image is pulled, where the configuration has a registry_auth.
[[nodiscard]] std::optional<nlohmann::json> build_pull_secret(const PodSettings& settings, const GangRequest& gang);
// Tokens, the configuration (it may carry storage keys), hyperparameters and the user's environment variables, by their
// variable names; the pods take all of it with envFrom.
[[nodiscard]] nlohmann::json build_secret(const PodSettings& settings, const GangRequest& gang);

}  // namespace det::pods
