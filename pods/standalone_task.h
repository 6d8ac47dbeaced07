#pragma once

// A run of a task that people start by itself (notebook, shell, command, TensorBoard, generic task), or of
// checkpoint GC, as pods are built
// of. Pure.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/taskconf/task_config.h"
#include "pods/pod_builder.h"
#include "pods/tensorboard_source.h"

namespace det::pods {

// What a checkpoint GC removes.
struct RemovalSource {
  model::ExperimentId experiment;
  nlohmann::json storage;                               // the section checkpoint_storage that the harness reads
  std::vector<std::string> uuids;                       // of checkpoints
  std::vector<std::string> globs;                       // which files of each
  bool tensorboard = false;                             // the experiment's TensorBoard files, too
  std::optional<model::CheckpointStorageConfig> mount;  // of the experiment, where that is a folder of the node's
};

struct StandaloneTask {
  k8s::ObjectKey object;  // the Task object
  std::string object_uid;
  model::TaskType type = model::TaskType::kCommand;
  std::string task_id;
  std::string allocation_id;
  int run = 1;
  int num_pods = 1;
  int slots_per_pod = 0;
  std::string owner;  // username
  std::string workspace;
  int port_base = 0;  // of the ports that it has for itself on the node's network; 0: its pods have their own
  std::optional<model::AgentAccount> account;
  std::string notebook_token;  // of a notebook's page
  std::string private_key;     // of a shell, PEM
  std::string public_key;      // as in authorized_keys
  TensorBoardSource source;    // of a TensorBoard
  RemovalSource removal;       // of a checkpoint GC
};

// `document` is the frozen configuration, and `config` the same, typed.
[[nodiscard]] TaskRequest standalone_task(const PodSettings& settings, const StandaloneTask& task,
                                          const nlohmann::json& document, const model::TaskConfig& config);
// Where its program listens; 0 for types that serve nothing.
[[nodiscard]] int service_port(model::TaskType type, int port_base);

}  // namespace det::pods
