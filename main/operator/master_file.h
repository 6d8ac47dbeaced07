#pragma once

// Reading Determined's master.yaml from a file.

#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "model/master_config.h"

namespace det::main {

// The file's content over `defaults` (merge patch; null: none). An empty path means no file. kNotFound and
// kInvalidArgument name the file and every wrong field in it.
[[nodiscard]] Result<model::MasterConfigResult> read_master_file(const std::string& path, nlohmann::json defaults);

}  // namespace det::main
