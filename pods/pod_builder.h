#pragma once

// What one allocation needs in Kubernetes, as objects: the pods of its gang and the Secret with what they may not show.
// Pure: the same request gives the same JSON, which golden files in tests/pods hold.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "k8sclient/resource.h"
#include "model/cluster/agent_account.h"
#include "model/cluster/master_config.h"
#include "model/expconf/experiment_config.h"

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
// The first four from `port_base`; where that is 0, the defaults.
[[nodiscard]] TaskPorts ports_at(int port_base);

// Names and values.
using Variables = std::vector<std::pair<std::string, std::string>>;

// What the configuration of a task says about its pods.
struct PodConfig {
  model::ResourcesConfig resources;
  model::EnvironmentConfig environment;
  std::vector<model::BindMount> bind_mounts;
  std::optional<model::CheckpointStorageConfig> storage;  // mounted where it is a folder of the node's

  bool operator==(const PodConfig&) const = default;
};

// Where the files of a task are in its container.
inline constexpr const char* kTaskFiles = "/run/determined/task-files";

// One allocation of a task: a trial's run (pods/trial_task.h), or one of a task that people start by itself
// (pods/standalone_task.h).
struct TaskRequest {
  k8s::Resource kind = k8s::trials();  // of the object that owns everything made here
  k8s::ObjectKey object;
  std::string object_uid;
  std::string base_name;  // what its pods and Secrets are named after (pods/names.h)
  std::string type;       // Determined's word: "TRIAL"
  std::string task_id;
  std::string allocation_id;
  int run = 1;
  int num_pods = 1;
  int slots_per_pod = 1;
  std::string owner;  // username
  std::string workspace;
  std::string token;       // of the allocation; goes into the Secret only
  std::string user_token;  // stands for the owner while the allocation lasts; goes into the Secret only
  TaskPorts ports;
  std::vector<std::string> excluded_nodes;  // where none of its pods may run
  PodConfig config;
  Variables labels;                            // beside those that the pods of all tasks have; label values already
  Variables variables;                         // beside the environment of all tasks; people may read them
  Variables secret_variables;                  // go into the Secret
  Variables files;                             // go into a Secret of their own, which is mounted at kTaskFiles
  std::string work_dir;                        // empty: kWorkFolder
  std::optional<model::AgentAccount> account;  // as whom it runs; nothing: as the image or the pod_spec says
};

inline constexpr const char* kWorkFolder = "/run/determined/workdir";  // where the task's code is
// Where the task's program starts.
[[nodiscard]] std::string work_dir_of(const TaskRequest& task);

// The name of rank's resources in rendezvous and of its pod: "<allocation id>.<rank>".
[[nodiscard]] std::string resources_id(const std::string& allocation_id, int rank);

// The pool of a task with these resources, and what slots are there.
[[nodiscard]] std::string pool_of(const PodSettings& settings, const model::ResourcesConfig& resources);
[[nodiscard]] model::SlotRule slots_of(const PodSettings& settings, const model::ResourcesConfig& resources);
// The kind of slots that its pods have, as configurations call it: "cpu" for those without any.
[[nodiscard]] model::SlotType device_of(const PodSettings& settings, const TaskRequest& task);

[[nodiscard]] nlohmann::json build_pod(const PodSettings& settings, const TaskRequest& task, int rank);
// What people are shown of it: its spec, without environment variables, which may hold what is not for everybody.
[[nodiscard]] nlohmann::json shown_pod_spec(const nlohmann::json& pod);
// Those beside build_secret(): with what the image is pulled, where the configuration has a registry_auth, and the
// task's files, where it has some.
[[nodiscard]] std::vector<nlohmann::json> build_more_secrets(const PodSettings& settings, const TaskRequest& task);
// Tokens, the task's secret variables and the user's environment variables, by their variable names; the pods take all
// of it with envFrom.
[[nodiscard]] nlohmann::json build_secret(const PodSettings& settings, const TaskRequest& task);

}  // namespace det::pods
