#pragma once

// Reading Determined's master.yaml from a file, and the secrets that belong into it from a folder.

#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "model/cluster/master_config.h"

namespace det::main {

// The file's content over `defaults` (merge patch; null: none), the secrets over both. An empty path means no file.
// Where nothing has oidc.client_secret, the environment's DET_OIDC_CLIENT_SECRET is it.
// `secrets_folder` is a mounted Secret: each file's name is a key of master.yaml with dots ("security.signing_key"),
// its text without the line's end the value; empty means none. Where no harness.wheelhouse is named, the wheels of the
// operator's image are taken, if this is one. kNotFound and kInvalidArgument name the file and every
// wrong field in it.
[[nodiscard]] Result<model::MasterConfigResult> read_master_file(const std::string& path, nlohmann::json defaults,
                                                                 const std::string& secrets_folder = {});

}  // namespace det::main
