#pragma once

// Where the files are that a TensorBoard shows, and what its pod needs to read them. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "model/expconf/experiment_config.h"
#include "model/ids.h"
#include "pods/pod_builder.h"

namespace det::pods {

struct ShownExperiment {
  model::ExperimentId id;
  std::vector<std::int64_t> trials;  // none: all of them
  nlohmann::json config;             // complete
};

struct TensorBoardSource {
  std::vector<std::string> log_dirs;  // paths in the container, or URLs
  nlohmann::json storage;             // the section checkpoint_storage that the harness reads
  Variables secret_variables;         // credentials, as the cloud's libraries read them
  std::optional<model::CheckpointStorageConfig> mount;
  std::vector<model::BindMount> bind_mounts;  // of the experiments, where their storage is in one
};

// `experiments`: at least one, by id. Where they are in several buckets, the credentials are those of the last one, as
// upstream has it. kInvalidArgument where one TensorBoard cannot read all of them: another kind of storage, another
// folder of the node's.
[[nodiscard]] Result<TensorBoardSource> tensorboard_source(const std::string& cluster_id,
                                                           const std::vector<ShownExperiment>& experiments);
// The part of the experiment's configuration by which it mounts folders of the node.
[[nodiscard]] nlohmann::json mounted_for_tensorboard(const nlohmann::json& experiment);

}  // namespace det::pods
