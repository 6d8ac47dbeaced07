#pragma once

// Folders of the node that a configuration names, where the node is this machine (local mode) and they can be looked
// at before anything runs.

#include <string>
#include <vector>

#include "base/json_reader.h"
#include "model/expconf/experiment_config.h"

namespace det::accept {

// An error for each host_path that does not exist here: `storage` may be nullptr, or of another type than shared_fs.
// A folder that cannot be looked at counts as there. Reads the file system.
[[nodiscard]] FieldErrors missing_host_folders(const model::CheckpointStorageConfig* storage,
                                               const std::vector<model::BindMount>& mounts);

}  // namespace det::accept
