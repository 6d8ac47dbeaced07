#pragma once

// What a workspace puts under the configurations of everything that is started in it: over the cluster's defaults,
// under what people write. Its owner, who need not be an administrator, writes it (but for the namespace): it may use
// what people may. Pure.

#include <string>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "model/cluster/master_config.h"

namespace det::model {

struct WorkspaceDefaults {
  std::string compute_pool;           // of what has slots; empty: the cluster's
  std::string aux_pool;               // of what has none
  nlohmann::json checkpoint_storage;  // of its experiments; null: the cluster's
  std::string ns;                     // Kubernetes' namespace of what the server starts in it; empty: the server's own

  bool operator==(const WorkspaceDefaults&) const = default;
};

// `master` with the workspace's default pools.
[[nodiscard]] MasterConfig with_workspace(MasterConfig master, const WorkspaceDefaults& defaults);

// Everything wrong with a section checkpoint_storage that an experiment must be able to run with as it is: with its
// form, what it lacks, and, for pods of namespace `ns`, with what of the nodes it uses. Fields begin with
// "checkpoint_storage".
[[nodiscard]] FieldErrors check_workspace_storage(const nlohmann::json& storage, const MasterConfig& master,
                                                  const std::string& ns);

}  // namespace det::model
